// Package door has the pages for signing in and out, locking, passwords, PINs, language and practice.
package door

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// Screens are the pages of this room.
type Screens struct{ *frame.Server }

// LoginForm is GET /login.
func (s *Screens) LoginForm(c *gin.Context) error {
	next := frame.LocalPath(c.Query("next"))
	if frame.ExchangeOf(c.Request.Context()).SignedIn {
		return frame.Redirect(c, next)
	}
	return s.showLogin(c, http.StatusOK, templates.LoginPage{Next: next, Chosen: c.Query("language")})
}

func (s *Screens) showLogin(c *gin.Context, status int, page templates.LoginPage) error {
	s.BeginForm(c)
	page.Locale, page.CSRF = s.LocaleOf(c.Request), s.FormToken(c.Request)
	page.SecondOptional, page.TakesPasskeys = s.D.Staff.SecondOptional(), s.D.Staff.TakesPasskeys()
	page.SingleSignOn = s.D.Staff.SingleSignOn()
	if page.Next == "/" {
		page.Next = ""
	}
	return s.Render(c, status, templates.Login(page))
}

// Login is POST /login.
func (s *Screens) Login(c *gin.Context) error {
	device := s.Cookie(c.Request, "device")
	user, err := s.D.Staff.Login(c.Request.Context(), staff.Attempt{
		Username: c.PostForm("username"), Password: c.PostForm("password"), Address: c.ClientIP(), Device: device,
	})
	if err != nil {
		return s.refuseLogin(c, err, s.showLogin)
	}
	if user.HasSecond() {
		return s.askSecond(c, user, false, onwardOf(c))
	}
	return s.enter(c, user, device, onwardOf(c), false)
}

// onwardOf is what the form of a sign-in brings (fields next, language).
func onwardOf(c *gin.Context) staff.Onward {
	return staff.Onward{Next: c.PostForm("next"), Language: c.PostForm("language")}
}

// enter begins the session of a user who has proved who they are; second says whether a second factor was given, too.
func (s *Screens) enter(
	c *gin.Context, user staff.User, device string, onward staff.Onward, second bool,
) error {
	ctx := c.Request.Context()
	tillID, device, err := s.tillFor(c, user, device)
	if err != nil {
		return err
	}
	device, err = s.D.Staff.RememberDevice(ctx, device, user.ID, tillID)
	if err != nil {
		return err
	}
	if locale.Speaks(onward.Language) { // chosen a moment ago
		if err := s.D.Staff.SetLocale(ctx, user.ID, onward.Language); err != nil {
			return err
		}
	}
	s.SetCookie(c.Writer, "device", device, frame.DeviceAge)
	ask, err := s.begin(ctx, user, tillID, device)
	if err == nil && second {
		s.NoteSecond(ctx, s.D.Now())
		err = s.D.Staff.GaveSecond(ctx, device, user)
	}
	return frame.Then(c, err, cmp.Or(ask, frame.LocalPath(onward.Next)))
}

// begin starts a session, under a new token, for a user who has just given their password in this browser. ask is the
// address at which they must choose a till first; "": none.
func (s *Screens) begin(ctx context.Context, user staff.User, tillID, device string) (ask string, err error) {
	if err := s.D.Staff.GavePassword(ctx, device, user); err != nil {
		return "", err
	}
	if err := s.Begin(ctx, user, tillID); err != nil {
		return "", err
	}
	if err := s.MindLock(ctx, device, user.ID); err != nil {
		return "", err
	}
	return s.AskSeat(ctx, user, tillID)
}

// goOn is begin for a user whose sessions have just ended by an act of their own: this one continues, in practice if it
// was.
func (s *Screens) goOn(c *gin.Context, user staff.User) (ask string, err error) {
	ctx := c.Request.Context()
	practice := s.Sessions.GetString(ctx, frame.SessionPractice)
	ask, err = s.begin(ctx, user, frame.Present(c).Till.ID, s.Cookie(c.Request, "device"))
	if err == nil && practice != "" {
		s.Sessions.Put(ctx, frame.SessionPractice, practice)
	}
	return ask, err
}

// refuseLogin shows a form of the sign-in again with what was typed, except passwords and codes.
func (s *Screens) refuseLogin(
	c *gin.Context, err error, show func(c *gin.Context, status int, page templates.LoginPage) error,
) error {
	l := s.LocaleOf(c.Request)
	page := templates.LoginPage{
		Next: frame.LocalPath(c.PostForm("next")), Username: c.PostForm("username"), Chosen: c.PostForm("language"),
		Problem: l.Fault(err),
	}
	var wait *staff.TooManyTries
	switch {
	case errors.As(err, &wait):
		page.Wait, page.Problem = frame.WholeSeconds(wait.Wait), l.Text("error.429")
		c.Header("Retry-After", strconv.Itoa(page.Wait))
	case fault.KindOf(err) != fault.Invalid && fault.KindOf(err) != fault.Forbidden:
		return err
	}
	return show(c, frame.StatusOf(err), page)
}

// tillFor returns the till at which a user who sells will stand, and the device that remembers it: the till of this
// browser, or else one that nobody uses.
func (s *Screens) tillFor(c *gin.Context, u staff.User, device string) (tillID, known string, err error) {
	if !u.Can(staff.Sell) {
		return "", device, nil
	}
	ctx := c.Request.Context()
	till, stands, err := s.D.Staff.DeviceTill(ctx, device, u.ShopID)
	if err != nil || stands {
		return till.ID, device, err
	}
	all, err := s.D.Staff.Tills(ctx, u.ShopID)
	if err != nil {
		return "", device, err
	}
	open, err := s.D.Till.OpenAt(ctx, all)
	if err != nil {
		return "", device, err
	}
	var held []string
	for tillID, shift := range open {
		if shift.SeatBy != u.ID {
			held = append(held, tillID)
		}
	}
	return s.D.Staff.TakeTill(ctx, u, device, held)
}

// Logout is POST /logout.
func (s *Screens) Logout(c *gin.Context) error {
	if err := s.Sessions.Destroy(c.Request.Context()); err != nil {
		return err
	}
	c.Header("Clear-Site-Data", `"cache"`) // nothing personal is stored elsewhere, only the page for a lost connection
	return frame.Redirect(c, "/login")
}
