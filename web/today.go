package web

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/templates"
)

// home is GET /: the counter for who sells, today for who runs the shop.
func (s *Server) home(c *gin.Context) error {
	u := present(c).User
	switch {
	case u.Can(staff.ViewReports):
		return s.today(c)
	case u.Can(staff.Sell):
		return redirect(c, "/counter")
	}
	return fault.New(fault.Forbidden, "")
}

// today shows how the day goes, in the shops the user sees.
func (s *Server) today(c *gin.Context) error {
	ctx, currency := c.Request.Context(), tillCurrency(c)
	from, to := businessDay(s.d.Now(), s.localeOf(c.Request).Zone())
	f := sales.Filter{ShopID: present(c).Shop.ID, From: from, To: to}
	totals, err := s.d.Sales.Totals(ctx, f)
	if err != nil {
		return err
	}
	waiting, err := s.d.Sales.List(ctx, sales.Filter{ShopID: f.ShopID, Waiting: true})
	if err != nil {
		return err
	}
	names, err := s.names(c)
	if err != nil {
		return err
	}
	balance, err := s.d.Reconcile.LastBalance(ctx)
	if err != nil {
		return err
	}
	var day templates.SalesPage
	sum(&day, totals, currency)
	var failed int64
	for _, t := range totals {
		if t.Fulfilment.Final() && t.Fulfilment != sales.Complete {
			failed += t.Count
		}
	}
	return s.show(c, http.StatusOK, func(frame templates.Frame) templ.Component {
		page := templates.TodayPage{Frame: frame, Day: s.d.Now()}
		page.Figures = []templates.Figure{
			{Name: frame.Text("sales.taken"), Value: frame.Amount(day.Total), Large: true, URL: "/sales"},
			{Name: frame.Text("sales.sent"), Value: frame.Number(int64(day.Sent)), URL: "/sales", Tone: "good"},
			{Name: frame.Text("today.failed"), Value: frame.Number(failed), URL: "/sales"},
			{Name: frame.Text("sales.waiting"), Value: frame.Number(int64(len(waiting))), URL: "/sales?state=waiting"},
		}
		if balance != nil && present(c).User.Can(staff.ViewCost) {
			page.Figures = append(page.Figures, templates.Figure{
				Name: frame.Text("today.float"), Value: frame.Amount(balance.Amount()), Note: frame.Text("today.asOf", frame.Time(balance.ToldAt)),
			})
		}
		for i := len(waiting) - 1; i >= 0; i-- { // oldest first
			page.Waiting = append(page.Waiting, s.saleRow(frame.Locale, waiting[i], names))
		}
		return templates.Today(page)
	})
}
