package frame

import (
	"context"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/approval"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/templates"
)

// tray is what nobody at this till must lose sight of: waiting sales and, for approvers, colleagues who ask.
func (s *Server) tray(c *gin.Context) (templates.Tray, error) {
	p, l := Present(c), s.LocaleOf(c.Request)
	t := templates.Tray{Locale: l}
	if p.Till.ID == "" {
		return t, nil
	}
	waiting, err := s.D.Sales.Tray(c.Request.Context(), p.Till.ID, s.Practising(c))
	if err != nil {
		return t, err
	}
	now := s.D.Now()
	if t.Owed, err = sales.OwedBack(waiting); err != nil {
		return t, err
	}
	for _, sale := range waiting {
		t.Sales = append(t.Sales, templates.TraySale{
			ID: sale.ID, URL: "/sales/" + sale.ID, Account: AccountText(l, sale), Product: sale.ProductText,
			Price: sale.Price(), State: string(sale.Fulfilment), Owed: sale.Cash == sales.CashRefundDue,
			Elapsed: int(now.Sub(sale.AttemptAt).Seconds()),
		})
	}
	if !p.User.Can(staff.Override) {
		return t, nil
	}
	pending, err := s.D.Approvals.Pending(c.Request.Context(), p.Shop.ID, p.User.ID)
	t.Asked = len(pending)
	return t, err
}

// TrayEvents is GET /tray/events: the tray, whenever it changes, without the sale that the page is about (own).
func (s *Server) TrayEvents(c *gin.Context) error {
	p := Present(c)
	hints, cancel := s.D.Bus.Subscribe(sales.TillTopic(p.Till.ID), approval.Topic(p.Shop.ID))
	defer cancel()
	return s.Stream(c, quietLookEvery, hints, func(context.Context) (templ.Component, bool, error) {
		t, err := s.tray(c)
		return templates.TrayRegion(t.Without(c.Query("own"))), false, err
	})
}
