package frame

import (
	"context"
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/internal/till"
	"airtill/web/templates"
)

// ErrFrozen: this browser worked in a shift that was closed or taken over on another device, or in none (shiftID "")
// where somebody else has opened one. It must not go on in whatever shift there is now.
type ErrFrozen struct{ shiftID string }

// Error is for the log.
func (ErrFrozen) Error() string { return "the shift of this browser is over" }

// noSeat is the seat of somebody who signed in at a till where somebody else works, until they say whether to
// take it over.
const noSeat = "/?"

// seatOf identifies a browser's place at a till, "" without a shift.
func seatOf(shift *till.Shift) string {
	if shift == nil {
		return ""
	}
	return shift.ID + "/" + shift.Seat
}

// ErrNoTill is for a browser that has no till.
var ErrNoTill = fault.New(fault.Conflict, "till.not-set-up")

// OpenShift returns the open shift at the user's till, nil if none, and ErrFrozen if it is not the one this
// browser works in.
func (s *Server) OpenShift(c *gin.Context) (*till.Shift, error) {
	ctx, p := c.Request.Context(), Present(c)
	if p.Till.ID == "" {
		return nil, ErrNoTill
	}
	shift, err := s.D.Till.Current(ctx, p.Till.ID)
	if err != nil {
		return nil, err
	}
	seat := s.Sessions.GetString(ctx, SessionSeat)
	byPIN := s.Sessions.GetString(ctx, sessionSince) != "" // they share the drawer
	if seat == "" && !byPIN && asks(p.User, shift) || seat != "" && seat != seatOf(shift) {
		shiftID, _, _ := strings.Cut(seat, "/")
		return nil, ErrFrozen{shiftID: shiftID}
	}
	return shift, nil
}

// asks says whether somebody is asked before they work in a shift: another sits there, and they are not in charge.
func asks(u staff.User, shift *till.Shift) bool {
	return shift != nil && shift.SeatBy != u.ID && !u.Can(staff.ViewReports)
}

// TieSeat ties this browser to a shift, or to none.
func (s *Server) TieSeat(ctx context.Context, shift *till.Shift) {
	if seat := seatOf(shift); seat != s.Sessions.GetString(ctx, SessionSeat) {
		s.Sessions.Put(ctx, SessionSeat, seat)
	}
}

// AskSeat leaves somebody who begins at the counter without a seat if another works at their till, and returns
// where to ask about that, "" if there is nothing to ask. People who come by a PIN of this till share its
// drawer and are not asked.
func (s *Server) AskSeat(ctx context.Context, u staff.User, tillID string) (string, error) {
	if tillID == "" || u.Can(staff.ViewReports) {
		return "", nil
	}
	shift, err := s.D.Till.Current(ctx, tillID)
	if err != nil || !asks(u, shift) {
		return "", err
	}
	s.Sessions.Put(ctx, SessionSeat, shift.ID+noSeat)
	return "/till?till=" + tillID, nil
}

// sitDown puts a session at a till and into its open shift.
func (s *Server) sitDown(ctx context.Context, tillID string) error {
	s.Sessions.Put(ctx, SessionTill, tillID)
	if tillID == "" {
		return nil
	}
	shift, err := s.D.Till.Current(ctx, tillID)
	s.TieSeat(ctx, shift)
	return err
}

// showFrozen says who closed the shift or took the till over, and what to do.
func (s *Server) showFrozen(c *gin.Context, e ErrFrozen) error {
	p := Present(c)
	if e.shiftID == "" || strings.HasSuffix(s.Sessions.GetString(c.Request.Context(), SessionSeat), noSeat) {
		return Redirect(c, "/till?till="+p.Till.ID)
	}
	shift, err := s.D.Till.Get(c.Request.Context(), e.shiftID, p.Shop.ID)
	if err != nil {
		return err
	}
	names, err := s.Names(c)
	if err != nil {
		return err
	}
	l := s.LocaleOf(c.Request)
	why := l.Text("frozen.taken", names.People[shift.SeatBy], l.At(shift.Seated(), s.D.Now()))
	if shift.Closed() {
		why = l.Text("frozen.closed", names.People[*shift.ClosedBy], l.At(*shift.ClosedAt, s.D.Now()))
	}
	return s.Show(c, http.StatusConflict, func(f templates.Frame) templ.Component {
		f.Seated = false // known already
		return templates.Frozen(templates.FrozenPage{
			Frame: f, TillID: p.Till.ID, Why: why, Undone: c.Request.Method == http.MethodPost,
		})
	})
}
