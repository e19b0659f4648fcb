// Package shift is the till and its drawer: opening, cash in and out, counting, X and Z reports, printers.
package shift

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/approval"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/till"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// Screens are the pages of this room.
type Screens struct{ *frame.Server }

// AskForShift shows the form that opens a shift, with what was typed.
func (s *Screens) AskForShift(c *gin.Context, status int, problem string) error {
	p := frame.Present(c)
	if p.Till.Retired() {
		return frame.Redirect(c, "/till")
	}
	currency := p.Shop.Currency
	piles, err := pileForm(c, s.LocaleOf(c.Request), currency)
	if err != nil {
		return err
	}
	return s.Show(c, status, func(f templates.Frame) templ.Component {
		return templates.OpenShift(templates.OpenShiftPage{
			Frame: f, Key: s.FormKey(c.PostForm("key")), Currency: currency, Typed: c.PostForm("float"), Piles: piles,
			Problem: problem,
		})
	})
}

// OpenShiftForm is POST /shift/open (fields float, key, and the piles).
func (s *Screens) OpenShiftForm(c *gin.Context) error {
	p := frame.Present(c)
	if p.Till.ID == "" {
		return frame.ErrNoTill
	}
	float, err := s.countedFloat(c)
	var shift till.Shift
	if err == nil {
		shift, err = s.D.Till.Open(c.Request.Context(), till.Opening{
			Key: c.PostForm("key"), Actor: p.Actor(), ShopID: p.Shop.ID, TillID: p.Till.ID, Float: float,
		})
	}
	switch fault.KindOf(err) {
	case "":
		if !shift.Closed() { // otherwise an old form was sent again
			s.TieSeat(c.Request.Context(), &shift)
		}
		return frame.Redirect(c, "/counter")
	case fault.Conflict: // an open shift is what was asked for, if it began with as much
		open, cannot := s.OpenShift(c)
		if errors.As(cannot, new(frame.ErrFrozen)) {
			return cannot
		}
		if counted, wrong := float.Sum(); cannot != nil || wrong != nil || open == nil || open.Opening() != counted {
			return err
		}
		return frame.Redirect(c, "/counter")
	case fault.Invalid:
		return s.AskForShift(c, http.StatusUnprocessableEntity, s.LocaleOf(c.Request).Fault(err))
	default:
		return err
	}
}

// countedFloat reads the float, as a sum, by pieces, or both if they agree.
func (s *Screens) countedFloat(c *gin.Context) (till.Count, error) {
	l, currency := s.LocaleOf(c.Request), frame.Present(c).Shop.Currency
	count, err := readPiles(c, l, currency)
	if err != nil {
		return till.Count{}, err
	}
	typed := strings.TrimSpace(c.PostForm("float"))
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

// Shift is GET /shift.
func (s *Screens) Shift(c *gin.Context) error {
	shift, err := s.OpenShift(c)
	if err != nil {
		return err
	}
	if shift == nil {
		return s.AskForShift(c, http.StatusOK, "")
	}
	return s.showShift(c, http.StatusOK, *shift, nil)
}

func (s *Screens) showShift(c *gin.Context, status int, shift till.Shift, refused error) error {
	r := frame.ReadsOf(c)
	totals := frame.LoadOf(r, s.D.Sales.Totals, sales.Filter{ShiftID: shift.ID})
	names := frame.LoadHere(r, s.Names)
	moves := frame.LoadOf(r, s.D.Till.Moves, shift.ID)
	expected := frame.LoadHere(r, func(c *gin.Context) ([]templates.Figure, error) { return s.expected(c, shift) })
	var approve *templates.Approve
	stopped := errors.Is(refused, till.ErrNeedsManager)
	if stopped {
		approve = frame.LoadHere(r, s.ApproveForm)
	}
	if r.Err != nil {
		return r.Err
	}
	sums := report.SumOf(totals, shift.Currency)
	return s.Show(c, status, func(f templates.Frame) templ.Component {
		page := templates.ShiftPage{
			Frame: f, OpenedBy: names.People[shift.CashierID], OpenedAt: shift.OpenedAt, Float: shift.Opening(),
			Figures:   append(expected, shiftFigures(f, shift, sums, frame.Present(c).User.CountsBlind())...),
			ReportURL: "/shift/" + shift.ID, Moves: moveLines(f.Locale, moves, names),
			Move: templates.MoveForm{
				Key: s.FormKey(c.PostForm("key")), Kind: c.PostForm("kind"), Amount: c.PostForm("amount"),
				Reason: c.PostForm("reason"), Currency: shift.Currency,
				Problem: f.Fault(refused), Approve: approve,
				Allow: stopped && frame.Present(c).User.Can(staff.Override),
			},
		}
		if frame.Present(c).User.Can(staff.ManageShifts) {
			page.AllURL, page.PrinterURL = "/shifts", "/till/printer"
		}
		return templates.ShiftNow(page)
	})
}

// expected is what the drawer must hold by the books, for those who do not count it blind.
func (s *Screens) expected(c *gin.Context, shift till.Shift) ([]templates.Figure, error) {
	if !frame.Present(c).User.Can(staff.ManageShifts) {
		return nil, nil
	}
	cash, err := s.D.Till.Cash(c.Request.Context(), shift)
	l := s.LocaleOf(c.Request)
	return []templates.Figure{{Name: l.Text("shift.cash"), Value: l.Amount(cash), Large: true}}, err
}

func shiftFigures(f templates.Frame, shift till.Shift, sum report.ListSum, blind bool) []templates.Figure {
	amount := func(micros int64) string { return f.Amount(money.Of(micros, sum.Currency)) }
	behind := func(state string) string {
		return "/sales?" + url.Values{"shift": {shift.ID}, "state": {state}}.Encode()
	}
	figures := []templates.Figure{
		{Name: f.Text("sales.sent"), Value: f.Number(sum.Sent), Note: amount(sum.Taken), URL: behind("complete")},
		{Name: f.Text("sales.waiting"), Value: f.Number(int64(f.Waiting)), URL: "/sales?state=waiting"},
	}
	if blind {
		figures[0].Note = ""
	}
	if sum.Owed != 0 {
		figures = append(figures, templates.Figure{
			Name: f.Text("sales.owed"), Value: amount(sum.Owed), Tone: "wait", URL: behind("owed"),
		})
	}
	return figures
}

func moveLines(l locale.Locale, moves []till.Move, n frame.Names) []templates.Line {
	var lines []templates.Line
	for _, m := range moves {
		amount := m.Amount()
		if m.Kind.Out() {
			amount = amount.Neg()
		}
		name := l.Time(m.At) + " · " + m.Reason
		if m.Approver != "" && m.Approver != m.UserID {
			name += " · " + l.Text("move.approved", n.People[m.Approver])
		}
		lines = append(lines, templates.Line{Name: name, Value: l.Amount(amount)})
	}
	return lines
}

// outTexts say where cash goes that leaves a drawer.
var outTexts = map[till.MoveKind]string{till.ToSafe: "move.safe", till.Expense: "move.expense"}

// aboutCash is what an approver is asked about cash out of a drawer: how much, where to and what for.
func aboutCash(l locale.Locale, amount money.Amount) frame.Question {
	return func(c *gin.Context) (approval.Act, string, error) {
		about := amount.String()
		if where, known := outTexts[till.MoveKind(c.PostForm("kind"))]; known {
			about += " · " + l.Text(where)
		}
		return approval.CashMove, about + " · " + c.PostForm("reason"), nil
	}
}

// errClosed: the form of a new shift would not say so.
var errClosed = fault.New(fault.Conflict, "shift.closed-undone")

// shiftToMove is the open shift at the user's till. If it was closed or taken over since the page was read, it is the
// one in which the form has moved the cash already (again), so that a form sent twice is not said to have done nothing.
func (s *Screens) shiftToMove(c *gin.Context) (shift *till.Shift, again bool, err error) {
	shift, refused := s.OpenShift(c)
	switch {
	case shift != nil:
		return shift, false, nil
	case refused == nil:
		refused = errClosed
	case !errors.As(refused, new(frame.ErrFrozen)):
		return nil, false, refused
	}
	shift, err = s.D.Till.Booked(c.Request.Context(), c.PostForm("key"), frame.Present(c).Till.ID)
	if err == nil && shift == nil {
		err = refused
	}
	return shift, true, err
}

// MoveCash is POST /shift/cash (fields key, kind, amount, reason).
func (s *Screens) MoveCash(c *gin.Context) error {
	shift, again, err := s.shiftToMove(c)
	if err != nil {
		return err
	}
	l := s.LocaleOf(c.Request)
	amount, err := l.ParseAmount(c.PostForm("amount"), shift.Currency)
	if err == nil {
		_, err = s.D.Till.MoveCash(c.Request.Context(), till.Moving{
			Key: c.PostForm("key"), Actor: frame.Present(c).Actor(), ShiftID: shift.ID,
			Kind: till.MoveKind(c.PostForm("kind")), Amount: amount,
			Reason: c.PostForm("reason"), Approver: s.Approver(c, approval.CashMove, aboutCash(l, amount)),
		})
	}
	switch {
	case err == nil && again && mayRead(frame.Present(c).User, *shift):
		return frame.Redirect(c, "/shift/"+shift.ID)
	case err == nil:
		return frame.Redirect(c, "/shift")
	case again:
		return err
	case fault.KindOf(err) == fault.Invalid, errors.Is(err, till.ErrNeedsManager):
		return s.showShift(c, frame.StatusOf(err), *shift, err)
	default:
		return err
	}
}
