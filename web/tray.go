package web

import (
	"context"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/approval"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/templates"
)

// tray is what must not be lost sight of at this till: sales that wait, and for
// who may approve, colleagues who ask.
func (s *Server) tray(c *gin.Context) (templates.Tray, error) {
	p, l := present(c), s.localeOf(c.Request)
	t := templates.Tray{Locale: l}
	if p.Till.ID == "" {
		return t, nil
	}
	waiting, err := s.d.Sales.Tray(c.Request.Context(), p.Till.ID, s.practising(c))
	if err != nil {
		return t, err
	}
	now := s.d.Now()
	if t.Owed, err = sales.OwedBack(waiting); err != nil {
		return t, err
	}
	for _, sale := range waiting {
		t.Sales = append(t.Sales, templates.TraySale{
			ID: sale.ID, URL: "/sales/" + sale.ID, Account: accountText(l, sale), Product: sale.ProductText, Price: sale.Price(),
			State: string(sale.Fulfilment), Owed: sale.Cash == sales.CashRefundDue, Since: sale.AttemptAt, Elapsed: int(now.Sub(sale.AttemptAt).Seconds()),
		})
	}
	if !p.User.Can(staff.Override) {
		return t, nil
	}
	pending, err := s.d.Approvals.Pending(c.Request.Context(), p.Shop.ID, p.User.ID)
	t.Asked = len(pending)
	return t, err
}

// trayEvents is GET /tray/events: the tray anew whenever it changes.
func (s *Server) trayEvents(c *gin.Context) error {
	p := present(c)
	moved, noMoves := s.d.Bus.Subscribe(sales.TillTopic(p.Till.ID))
	defer noMoves()
	asked, noQuestions := s.d.Bus.Subscribe(approval.Topic(p.Shop.ID))
	defer noQuestions()
	return s.stream(c, streamLookEvery, []<-chan struct{}{moved, asked}, func(context.Context) (templ.Component, bool, error) {
		t, err := s.tray(c)
		return templates.TrayRegion(t), false, err
	})
}
