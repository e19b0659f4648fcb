package shift

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/till"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// ShiftState is GET /shift/state: 204 while this browser may work in its shift,
// 409 once it may not.
func (s *Screens) ShiftState(c *gin.Context) error {
	status := http.StatusNoContent
	_, err := s.OpenShift(c)
	if errors.As(err, new(frame.ErrFrozen)) {
		status, err = http.StatusConflict, nil
	}
	if err == nil {
		c.Status(status)
	}
	return err
}

// Tills is GET /till: where one may work. With the id of a till (till) where somebody else works, it asks
// whether to take it over.
func (s *Screens) Tills(c *gin.Context) error {
	places, err := s.tillPlaces(c)
	if err != nil {
		return err
	}
	if len(places) == 0 {
		return frame.ErrNoTill
	}
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page := templates.TillsPage{Frame: f}
		for _, place := range places {
			if place.ID == c.Query("till") && !place.Free {
				return templates.Take(templates.TakePage{
					Frame: f, TillID: place.ID, TillName: place.Name, Holder: place.holder, From: place.shift.SeatBy,
				})
			}
			page.Tills = append(page.Tills, place.TillPlace)
		}
		return templates.Tills(page)
	})
}

// tillPlace is a till and who works there.
type tillPlace struct {
	templates.TillPlace
	shift  *till.Shift // nil while none is open
	holder string      // a name, "" while no shift is open
}

func (s *Screens) tillPlaces(c *gin.Context) ([]tillPlace, error) {
	ctx, p, l := c.Request.Context(), frame.Present(c), s.LocaleOf(c.Request)
	all, err := s.D.Staff.Tills(ctx, p.Shop.ID)
	if err != nil {
		return nil, err
	}
	open, err := s.D.Till.OpenAt(ctx, all)
	if err != nil {
		return nil, err
	}
	names, err := s.Names(c)
	if err != nil {
		return nil, err
	}
	var places []tillPlace
	for _, t := range all {
		shift, isOpen := open[t.ID]
		if t.Retired() && !isOpen {
			continue
		}
		place := tillPlace{TillPlace: templates.TillPlace{ID: t.ID, Name: t.Name, Here: t.ID == p.Till.ID, Free: true}}
		if isOpen {
			place.shift = &shift
			place.holder = names.People[place.shift.SeatBy]
			place.Free = place.shift.SeatBy == p.User.ID
			place.Held = heldText(l, place, s.D.Now())
		}
		places = append(places, place)
	}
	return places, nil
}

func heldText(l locale.Locale, place tillPlace, now time.Time) string {
	if place.Free {
		return l.Text("tills.yours", l.Since(place.shift.Seated(), now))
	}
	return l.Text("tills.held", place.holder, l.Since(place.shift.Seated(), now))
}

// ChooseTill is POST /till: the user and this browser move to a till of the shop (field till, an id). A till
// where somebody else works is taken over only if the form says so (field take), and of another than it asked about
// (field from, a user's id) only once it has asked about them.
func (s *Screens) ChooseTill(c *gin.Context) error {
	ctx, p := c.Request.Context(), frame.Present(c)
	places, err := s.tillPlaces(c)
	if err != nil {
		return err
	}
	for _, place := range places {
		if place.ID != c.PostForm("till") {
			continue
		}
		if !place.Free && c.PostForm("take") != "" {
			from := cmp.Or(c.PostForm("from"), place.shift.SeatBy)
			taken, err := s.D.Till.Take(ctx, p.Actor(), place.shift.ID, p.Shop.ID, from)
			if err != nil {
				return err
			}
			place.shift, place.Free = &taken, taken.SeatBy == p.User.ID
		}
		if !place.Free {
			return frame.Redirect(c, "/till?till="+place.ID)
		}
		return s.moveTo(c, place.ID, place.shift)
	}
	return fault.New(fault.NotFound, "till.none")
}

// moveTo makes a till, and its shift as the user knows it, the place of this browser and its session.
func (s *Screens) moveTo(c *gin.Context, tillID string, shift *till.Shift) error {
	ctx := c.Request.Context()
	device, err := s.D.Staff.RememberDevice(ctx, s.Cookie(c.Request, "device"), frame.Present(c).User.ID, tillID)
	if err != nil {
		return err
	}
	s.SetCookie(c.Writer, "device", device, frame.DeviceAge)
	s.Sessions.Put(ctx, frame.SessionTill, tillID)
	s.TieSeat(ctx, shift)
	next := frame.LocalPath(c.PostForm("next"))
	if next == "/" {
		next = "/counter"
	}
	return frame.Redirect(c, next)
}
