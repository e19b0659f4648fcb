package web

import (
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/sales"
	"airtill/internal/till"
	"airtill/web/templates"
)

// askForShift shows the form that opens a shift.
func (s *Server) askForShift(c *gin.Context, status int, typed, problem string) error {
	return s.show(c, status, func(f templates.Frame) templ.Component {
		return templates.OpenShift(templates.OpenShiftPage{Frame: f, Currency: tillCurrency(c), Typed: typed, Problem: problem})
	})
}

// shift is GET /shift.
func (s *Server) shift(c *gin.Context) error {
	shift, err := s.openShift(c)
	if err != nil {
		return err
	}
	if shift == nil {
		return s.askForShift(c, http.StatusOK, "", "")
	}
	return s.showShift(c, *shift)
}

func (s *Server) showShift(c *gin.Context, shift till.Shift) error {
	ctx := c.Request.Context()
	cash, err := s.d.Till.Cash(ctx, shift)
	if err != nil {
		return err
	}
	totals, err := s.d.Sales.Totals(ctx, sales.Filter{TillID: shift.TillID, From: shift.OpenedAt})
	if err != nil {
		return err
	}
	opener, err := s.d.Staff.User(ctx, shift.CashierID)
	if err != nil {
		return err
	}
	var page templates.SalesPage
	sum(&page, totals, shift.Currency)
	return s.show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		figures := []templates.Figure{
			{Name: f.Text("shift.cash"), Value: f.Amount(cash), Large: true},
			{Name: f.Text("sales.sent"), Value: f.Number(int64(page.Sent)), Note: f.Amount(page.Total), URL: "/sales"},
			{Name: f.Text("sales.waiting"), Value: f.Number(int64(f.Waiting)), URL: "/sales?state=waiting"},
		}
		if page.Owed != nil {
			figures = append(figures, templates.Figure{Name: f.Text("sales.owed"), Value: f.Amount(*page.Owed), Tone: "wait", URL: "/sales"})
		}
		return templates.ShiftNow(templates.ShiftPage{Frame: f, OpenedBy: opener.DisplayName, OpenedAt: shift.OpenedAt, Float: shift.Opening(), Figures: figures})
	})
}

// openShiftForm is POST /shift/open (field float).
func (s *Server) openShiftForm(c *gin.Context) error {
	p, typed := present(c), c.PostForm("float")
	if p.Till.ID == "" {
		return fault.New(fault.Conflict, "Your shop has no till yet. Ask an administrator to set one up.")
	}
	float, err := s.localeOf(c.Request).ParseCash(typed, p.Shop.Currency)
	if err == nil {
		_, err = s.d.Till.Open(c.Request.Context(), p.Shop.ID, p.Till.ID, p.User.ID, float)
	}
	switch fault.KindOf(err) {
	case "", fault.Conflict: // a shift that is open already is what was asked for
		return redirect(c, "/counter")
	case fault.Invalid:
		return s.askForShift(c, http.StatusUnprocessableEntity, typed, fault.Message(err))
	default:
		return err
	}
}
