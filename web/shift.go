package web

import (
	"errors"
	"net/http"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/approval"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/till"
	"airtill/web/locale"
	"airtill/web/templates"
)

// askForShift shows the form that opens a shift, with what was typed.
func (s *Server) askForShift(c *gin.Context, status int, problem string) error {
	currency := tillCurrency(c)
	piles, err := pileForm(c, s.localeOf(c.Request), currency)
	if err != nil {
		return err
	}
	return s.show(c, status, func(f templates.Frame) templ.Component {
		return templates.OpenShift(templates.OpenShiftPage{
			Frame: f, Key: s.formKey(c.PostForm("key")), Currency: currency, Typed: c.PostForm("float"), Piles: piles, Problem: problem,
		})
	})
}

// openShiftForm is POST /shift/open (fields float, key, and the piles).
func (s *Server) openShiftForm(c *gin.Context) error {
	p := present(c)
	if p.Till.ID == "" {
		return errNoTill
	}
	float, err := s.countedFloat(c)
	var shift till.Shift
	if err == nil {
		shift, err = s.d.Till.Open(c.Request.Context(), till.Opening{
			Key: c.PostForm("key"), Actor: p.Actor(), ShopID: p.Shop.ID, TillID: p.Till.ID, Float: float,
		})
	}
	switch fault.KindOf(err) {
	case "":
		if !shift.Closed() { // else a form of long ago was sent again
			s.keepSeat(c.Request.Context(), &shift)
		}
		return redirect(c, "/counter")
	case fault.Conflict: // a shift that is open already is what was asked for
		return redirect(c, "/counter")
	case fault.Invalid:
		return s.askForShift(c, http.StatusUnprocessableEntity, s.localeOf(c.Request).Fault(err))
	default:
		return err
	}
}

// countedFloat reads the float, as a sum or by its pieces, or both alike.
func (s *Server) countedFloat(c *gin.Context) (till.Count, error) {
	l, currency := s.localeOf(c.Request), tillCurrency(c)
	count, err := readPiles(c, l, currency)
	if err != nil {
		return till.Count{}, err
	}
	typed := c.PostForm("float")
	if typed == "" && len(count.Piles) > 0 {
		return count, nil
	}
	sum, err := l.ParseCash(typed, currency)
	if err != nil || len(count.Piles) == 0 {
		return till.Counted(sum), err
	}
	pieces, err := count.Sum()
	if err == nil && pieces != sum {
		err = fault.Worded("float", l.Text("openShift.differ"))
	}
	return count, err
}

// shift is GET /shift.
func (s *Server) shift(c *gin.Context) error {
	shift, err := s.openShift(c)
	if err != nil {
		return err
	}
	if shift == nil {
		return s.askForShift(c, http.StatusOK, "")
	}
	return s.showShift(c, http.StatusOK, *shift, nil)
}

func (s *Server) showShift(c *gin.Context, status int, shift till.Shift, refused error) error {
	totals, err := s.d.Sales.Totals(c.Request.Context(), sales.Filter{TillID: shift.TillID, From: shift.OpenedAt})
	if err != nil {
		return err
	}
	names, err := s.names(c)
	if err != nil {
		return err
	}
	moves, err := s.d.Till.Moves(c.Request.Context(), shift.ID)
	if err != nil {
		return err
	}
	expected, err := s.expected(c, shift)
	if err != nil {
		return err
	}
	var approve *templates.Approve
	if errors.Is(refused, till.ErrNeedsManager) {
		if approve, err = s.approveForm(c); err != nil {
			return err
		}
	}
	sums := report.SumOf(totals, shift.Currency)
	return s.show(c, status, func(f templates.Frame) templ.Component {
		page := templates.ShiftPage{
			Frame: f, OpenedBy: names.people[shift.CashierID], OpenedAt: shift.OpenedAt, Float: shift.Opening(),
			Figures: append(expected, shiftFigures(f, sums)...), ReportURL: "/shift/" + shift.ID, Moves: moveLines(f.Locale, moves, names),
			Move: templates.MoveForm{
				Key: s.formKey(c.PostForm("key")), Kind: c.PostForm("kind"), Amount: c.PostForm("amount"), Reason: c.PostForm("reason"), Currency: shift.Currency,
				Problem: f.Fault(refused), Approve: approve, Allow: errors.Is(refused, till.ErrNeedsManager) && present(c).User.Can(staff.Override),
			},
		}
		if present(c).User.Can(staff.ManageShifts) {
			page.AllURL, page.PrinterURL = "/shifts", "/till/printer"
		}
		return templates.ShiftNow(page)
	})
}

// expected is what the drawer must hold by the books, for those who do not
// count it blind.
func (s *Server) expected(c *gin.Context, shift till.Shift) ([]templates.Figure, error) {
	if !present(c).User.Can(staff.ManageShifts) {
		return nil, nil
	}
	cash, err := s.d.Till.Cash(c.Request.Context(), shift)
	l := s.localeOf(c.Request)
	return []templates.Figure{{Name: l.Text("shift.cash"), Value: l.Amount(cash), Large: true}}, err
}

func shiftFigures(f templates.Frame, sum report.ListSum) []templates.Figure {
	amount := func(micros int64) string { return f.Amount(money.Of(micros, sum.Currency)) }
	figures := []templates.Figure{
		{Name: f.Text("sales.sent"), Value: f.Number(sum.Sent), Note: amount(sum.Taken), URL: "/sales"},
		{Name: f.Text("sales.waiting"), Value: f.Number(int64(f.Waiting)), URL: "/sales?state=waiting"},
	}
	if sum.Owed != 0 {
		figures = append(figures, templates.Figure{Name: f.Text("sales.owed"), Value: amount(sum.Owed), Tone: "wait", URL: "/sales"})
	}
	return figures
}

func moveLines(l locale.Locale, moves []till.Move, n names) []templates.Line {
	var lines []templates.Line
	for _, m := range moves {
		amount := m.Amount()
		if m.Kind != till.PaidIn {
			amount = amount.Neg()
		}
		name := l.Time(m.At) + " · " + m.Reason
		if m.Approver != "" && m.Approver != m.UserID {
			name += " · " + l.Text("move.approved", n.people[m.Approver])
		}
		lines = append(lines, templates.Line{Name: name, Value: l.Amount(amount)})
	}
	return lines
}

// aboutCash is what an approver is asked of cash in or out.
func aboutCash(amount money.Amount) question {
	return func(c *gin.Context) (approval.Act, string, error) {
		return approval.CashMove, amount.String() + " · " + c.PostForm("reason"), nil
	}
}

// moveCash is POST /shift/cash (fields key, kind, amount, reason).
func (s *Server) moveCash(c *gin.Context) error {
	shift, err := s.openShift(c)
	if err != nil {
		return err
	}
	if shift == nil {
		return redirect(c, "/shift")
	}
	amount, err := s.localeOf(c.Request).ParseAmount(c.PostForm("amount"), shift.Currency)
	if err == nil {
		_, err = s.d.Till.MoveCash(c.Request.Context(), till.Moving{
			Key: c.PostForm("key"), Actor: present(c).Actor(), ShiftID: shift.ID, Kind: till.MoveKind(c.PostForm("kind")), Amount: amount,
			Reason: c.PostForm("reason"), Approver: s.approver(c, approval.CashMove, aboutCash(amount)),
		})
	}
	switch {
	case err == nil:
		return redirect(c, "/shift")
	case fault.KindOf(err) == fault.Invalid, errors.Is(err, till.ErrNeedsManager):
		return s.showShift(c, statusOf(err), *shift, err)
	default:
		return err
	}
}
