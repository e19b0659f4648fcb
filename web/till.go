package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/internal/till"
	"airtill/web/locale"
	"airtill/web/templates"
)

// errFrozen: this browser worked in a shift that was closed, or taken over, on
// another device. It must not go on in whatever shift there is now.
type errFrozen struct{ shiftID string }

func (errFrozen) Error() string { return "the shift of this browser is over" }

// noSeat stands for the seat of who signed in at a till where somebody else
// works, until they say whether they take it over.
const noSeat = "/?"

// seatOf names the place at a till that a browser works from, "" without a
// shift.
func seatOf(shift *till.Shift) string {
	if shift == nil {
		return ""
	}
	return shift.ID + "/" + shift.Seat
}

var errNoTill = fault.New(fault.Conflict, "till.not-set-up")

// openShift returns the shift at the user's till, nil if none is open, and
// errFrozen if it is not the one this browser works in.
func (s *Server) openShift(c *gin.Context) (*till.Shift, error) {
	ctx, p := c.Request.Context(), present(c)
	if p.Till.ID == "" {
		return nil, errNoTill
	}
	shift, err := s.d.Till.Current(ctx, p.Till.ID)
	if err != nil {
		return nil, err
	}
	if seat := s.sessions.GetString(ctx, sessionSeat); seat != "" && seat != seatOf(shift) {
		shiftID, _, _ := strings.Cut(seat, "/")
		return nil, errFrozen{shiftID: shiftID}
	}
	return shift, nil
}

// keepSeat ties this browser to a shift, or to none.
func (s *Server) keepSeat(ctx context.Context, shift *till.Shift) {
	if seat := seatOf(shift); seat != s.sessions.GetString(ctx, sessionSeat) {
		s.sessions.Put(ctx, sessionSeat, seat)
	}
}

// askSeat leaves who begins at the counter without a seat where another works at its
// till, and returns where that is asked about, "" if there is nothing to ask.
// Whoever comes by a PIN of this till shares its drawer and is not asked.
func (s *Server) askSeat(ctx context.Context, u staff.User, tillID string) (string, error) {
	if tillID == "" || u.Can(staff.ViewReports) {
		return "", nil
	}
	shift, err := s.d.Till.Current(ctx, tillID)
	if err != nil || shift == nil || shift.SeatBy == u.ID {
		return "", err
	}
	s.sessions.Put(ctx, sessionSeat, shift.ID+noSeat)
	return "/till?till=" + tillID, nil
}

// sitDown puts a session at a till and into the shift that is open there.
func (s *Server) sitDown(ctx context.Context, tillID string) error {
	s.sessions.Put(ctx, sessionTill, tillID)
	if tillID == "" {
		return nil
	}
	shift, err := s.d.Till.Current(ctx, tillID)
	s.keepSeat(ctx, shift)
	return err
}

// showFrozen says who closed the shift or took the till over, and what to do.
func (s *Server) showFrozen(c *gin.Context, e errFrozen) error {
	p := present(c)
	if strings.HasSuffix(s.sessions.GetString(c.Request.Context(), sessionSeat), noSeat) {
		return redirect(c, "/till?till="+p.Till.ID)
	}
	shift, err := s.d.Till.Get(c.Request.Context(), e.shiftID, p.Shop.ID)
	if err != nil {
		return err
	}
	names, err := s.names(c)
	if err != nil {
		return err
	}
	l := s.localeOf(c.Request)
	why := l.Text("frozen.taken", names.people[shift.SeatBy], l.Time(shift.SeatAt))
	if shift.Closed() {
		why = l.Text("frozen.closed", names.people[*shift.ClosedBy], l.Time(*shift.ClosedAt))
	}
	return s.show(c, http.StatusConflict, func(f templates.Frame) templ.Component {
		f.Seated = false // it is known already
		return templates.Frozen(templates.FrozenPage{Frame: f, TillID: p.Till.ID, Why: why})
	})
}

// shiftState is GET /shift/state: 204 while this browser may work in its shift,
// 409 once it may not.
func (s *Server) shiftState(c *gin.Context) error {
	status := http.StatusNoContent
	_, err := s.openShift(c)
	if errors.As(err, new(errFrozen)) {
		status, err = http.StatusConflict, nil
	}
	if err == nil {
		c.Status(status)
	}
	return err
}

// tills is GET /till: where one may work. With the id of a till (till) that
// somebody else works at, it asks whether to take it over.
func (s *Server) tills(c *gin.Context) error {
	places, err := s.tillPlaces(c)
	if err != nil {
		return err
	}
	return s.show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page := templates.TillsPage{Frame: f}
		for _, place := range places {
			if place.ID == c.Query("till") && !place.Free {
				return templates.Take(templates.TakePage{Frame: f, TillID: place.ID, TillName: place.Name, Holder: place.holder})
			}
			page.Tills = append(page.Tills, place.TillPlace)
		}
		return templates.Tills(page)
	})
}

// tillPlace is a till with who works there.
type tillPlace struct {
	templates.TillPlace
	shift  *till.Shift // nil while none is open
	holder string      // a name, "" while no shift is open
}

func (s *Server) tillPlaces(c *gin.Context) ([]tillPlace, error) {
	ctx, p, l := c.Request.Context(), present(c), s.localeOf(c.Request)
	all, err := s.d.Staff.Tills(ctx, p.Shop.ID)
	if err != nil {
		return nil, err
	}
	names, err := s.names(c)
	if err != nil {
		return nil, err
	}
	var places []tillPlace
	for _, t := range all {
		place := tillPlace{TillPlace: templates.TillPlace{ID: t.ID, Name: t.Name, Here: t.ID == p.Till.ID, Free: true}}
		if place.shift, err = s.d.Till.Current(ctx, t.ID); err != nil {
			return nil, err
		}
		if place.shift != nil {
			place.holder = names.people[place.shift.SeatBy]
			place.Free = place.shift.SeatBy == p.User.ID
			place.Held = heldText(l, place)
		}
		places = append(places, place)
	}
	return places, nil
}

func heldText(l locale.Locale, place tillPlace) string {
	if place.Free {
		return l.Text("tills.yours", l.Time(place.shift.SeatAt))
	}
	return l.Text("tills.held", place.holder, l.Time(place.shift.SeatAt))
}

// chooseTill is POST /till: the user moves to a till of the shop (field till, an
// id), and this browser stands there from now on. A till at which somebody else
// works is taken over only if that was said (field take).
func (s *Server) chooseTill(c *gin.Context) error {
	ctx, p := c.Request.Context(), present(c)
	places, err := s.tillPlaces(c)
	if err != nil {
		return err
	}
	for _, place := range places {
		if place.ID != c.PostForm("till") {
			continue
		}
		if !place.Free && c.PostForm("take") == "" {
			return redirect(c, "/till?till="+place.ID)
		}
		if !place.Free {
			if _, err := s.d.Till.Take(ctx, p.Actor(), place.shift.ID, p.Shop.ID); err != nil {
				return err
			}
		}
		return s.moveTo(c, place.ID)
	}
	return fault.New(fault.NotFound, "till.none")
}

// moveTo makes a till the place of this browser and of its session.
func (s *Server) moveTo(c *gin.Context, tillID string) error {
	ctx := c.Request.Context()
	device, err := s.d.Staff.RememberDevice(ctx, s.cookie(c.Request, "device"), present(c).User.ID, tillID)
	if err != nil {
		return err
	}
	s.setCookie(c.Writer, "device", device, deviceKept)
	if err := s.sitDown(ctx, tillID); err != nil {
		return err
	}
	next := localPath(c.PostForm("next"))
	if next == "/" {
		next = "/counter"
	}
	return redirect(c, next)
}
