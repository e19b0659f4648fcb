package door

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// Account is GET /account: the user's password and sessions and, at a till, their PIN and whether this till accepts
// PINs.
func (s *Screens) Account(c *gin.Context) error {
	return s.showAccount(c, http.StatusOK, templates.AccountPage{Done: accountDone[c.Query("done")]})
}

// accountDone are the keys of what the page says after an act, by the word in the address.
var accountDone = map[string]string{
	"pin": "account.pinSet", "ended": "account.ended", "second-removed": "second.removed",
}

func (s *Screens) showAccount(c *gin.Context, status int, page templates.AccountPage) error {
	ctx, p := c.Request.Context(), frame.Present(c)
	page.Person, page.SecondOptional = p.User, s.D.Staff.SecondOptional()
	var err error
	if page.Sessions, err = s.D.Staff.OwnSessions(ctx, p.User.ID, s.Sessions.Token(ctx)); err != nil {
		return err
	}
	if p.User.Can(staff.Sell) {
		if page.HasPIN, err = s.D.Staff.HasPIN(ctx, p.User.ID); err != nil {
			return err
		}
		if page.Devices, err = s.D.Staff.TrustedDevices(ctx, p.Shop.ID); err != nil {
			return err
		}
	}
	page.Here = staff.DeviceID(s.Cookie(c.Request, "device"))
	page.Trusted = slices.ContainsFunc(page.Devices, func(d staff.TrustedDevice) bool { return d.ID == page.Here })
	return s.Show(c, status, func(f templates.Frame) templ.Component {
		page.Frame = f
		return templates.Account(page)
	})
}

// EndSessions is POST /account/sessions (field session, "" for all but this one).
func (s *Screens) EndSessions(c *gin.Context) error {
	ctx := c.Request.Context()
	err := s.D.Staff.EndOwnSessions(ctx, frame.Present(c).Actor(), s.Sessions.Token(ctx), c.PostForm("session"))
	return frame.Then(c, err, "/account?done=ended")
}

// SetPIN is POST /account/pin (fields password, pin).
func (s *Screens) SetPIN(c *gin.Context) error {
	p := frame.Present(c)
	err := s.D.Staff.SetPIN(c.Request.Context(), p.Actor(), c.PostForm("password"), c.PostForm("pin"), c.ClientIP())
	if fault.KindOf(err) == fault.Invalid {
		page := templates.AccountPage{PINProblem: s.LocaleOf(c.Request).Fault(err)}
		if fault.FieldOf(err) == "password" {
			page.PasswordProblem, page.PINProblem = page.PINProblem, ""
		}
		return s.showAccount(c, http.StatusUnprocessableEntity, page)
	}
	if err == nil {
		err = s.MindLock(c.Request.Context(), s.Cookie(c.Request, "device"), p.User.ID)
	}
	return frame.Then(c, err, "/account?done=pin")
}

// Trust is POST /account/trust: this browser accepts PINs at its till from now on.
func (s *Screens) Trust(c *gin.Context) error {
	device, p := s.Cookie(c.Request, "device"), frame.Present(c)
	if err := s.D.Staff.Trust(c.Request.Context(), p.Actor(), device); err != nil {
		return err
	}
	return frame.Then(c, s.MindLock(c.Request.Context(), device, p.User.ID), "/account")
}

// Distrust is POST /account/distrust (field device).
func (s *Screens) Distrust(c *gin.Context) error {
	ctx, p := c.Request.Context(), frame.Present(c)
	if err := s.D.Staff.Distrust(ctx, p.Actor(), c.PostForm("device")); err != nil {
		return err
	}
	return frame.Then(c, s.MindLock(ctx, s.Cookie(c.Request, "device"), p.User.ID), "/account")
}

// Practice is POST /practice (field on): practice begins or ends.
func (s *Screens) Practice(c *gin.Context) error {
	if !s.D.Practice {
		return fault.New(fault.NotFound, "")
	}
	on := ""
	if c.PostForm("on") != "" {
		on = "1"
	}
	s.Sessions.Put(c.Request.Context(), frame.SessionPractice, on)
	return frame.Redirect(c, "/counter")
}

// ChooseLanguage is POST /language (fields language, next): from now on this person reads in that language.
func (s *Screens) ChooseLanguage(c *gin.Context) error {
	tag, next := c.PostForm("language"), frame.LocalPath(c.PostForm("next"))
	if !locale.Speaks(tag) {
		return fault.OnField("language", "language.none")
	}
	if x := frame.ExchangeOf(c.Request.Context()); x.SignedIn {
		if err := s.D.Staff.SetLocale(c.Request.Context(), x.Presence.User.ID, tag); err != nil {
			return err
		}
	} else {
		next = "/login?language=" + tag + "&next=" + url.QueryEscape(next)
	}
	s.SetCookie(c.Writer, frame.LanguageCookie, tag, frame.DeviceAge)
	return frame.Redirect(c, next)
}

// PasswordForm is GET /password.
func (s *Screens) PasswordForm(c *gin.Context) error {
	return s.showPassword(c, http.StatusOK, templates.PasswordPage{})
}

func (s *Screens) showPassword(c *gin.Context, status int, page templates.PasswordPage) error {
	u := frame.Present(c).User
	page.Locale, page.CSRF = s.LocaleOf(c.Request), s.FormToken(c.Request)
	page.Username, page.Must = u.Username, u.MustChangePassword()
	return s.Render(c, status, templates.Password(page))
}

// ChangePassword is POST /password (fields current, password): the session continues under a new token, all others end.
func (s *Screens) ChangePassword(c *gin.Context) error {
	ctx, p := c.Request.Context(), frame.Present(c)
	user, err := s.D.Staff.ChangePassword(ctx, p.Actor(), c.PostForm("current"), c.PostForm("password"), c.ClientIP())
	if fault.KindOf(err) == fault.Invalid {
		page := templates.PasswordPage{Problem: s.LocaleOf(c.Request).Fault(err)}
		if fault.FieldOf(err) == "current" {
			page.CurrentProblem, page.Problem = page.Problem, ""
		}
		return s.showPassword(c, http.StatusUnprocessableEntity, page)
	}
	if err != nil {
		return err
	}
	ask, err := s.goOn(c, user)
	if err != nil {
		return err
	}
	if p.SecondAt != nil {
		s.NoteSecond(ctx, *p.SecondAt)
	}
	return frame.Redirect(c, cmp.Or(ask, "/"))
}
