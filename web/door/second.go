package door

import (
	"cmp"
	"net/http"
	"net/url"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/templates"
)

const (
	secondCookie = "second"         // names a sign-in that waits for a second factor
	secondKept   = 10 * time.Minute // as long as staff waits
	secondForm   = "/login/second"
)

// askSecond sends somebody who gave their password, or comes from the identity provider, to the page that asks for the
// second factor.
func (s *Screens) askSecond(c *gin.Context, user staff.User, byProvider bool, onward staff.Onward) error {
	token, err := s.D.Staff.AwaitSecond(c.Request.Context(), user, byProvider)
	if err != nil {
		return err
	}
	s.SetCookie(c.Writer, secondCookie, token, secondKept)
	return frame.Redirect(c, secondForm+"?"+url.Values{
		"next": {frame.LocalPath(onward.Next)}, "language": {onward.Language},
	}.Encode())
}

// SecondForm is GET /login/second.
func (s *Screens) SecondForm(c *gin.Context) error {
	next := frame.LocalPath(c.Query("next"))
	if frame.ExchangeOf(c.Request.Context()).SignedIn {
		return frame.Redirect(c, next)
	}
	waits, err := s.D.Staff.AwaitsSecond(c.Request.Context(), s.Cookie(c.Request, secondCookie))
	if err != nil {
		return err
	}
	if !waits {
		return frame.Redirect(c, "/login?next="+url.QueryEscape(next))
	}
	return s.showSecondForm(c, http.StatusOK, templates.LoginPage{Next: next, Chosen: c.Query("language")})
}

func (s *Screens) showSecondForm(c *gin.Context, status int, page templates.LoginPage) error {
	s.BeginForm(c)
	page.Locale, page.CSRF = s.LocaleOf(c.Request), s.FormToken(c.Request)
	page.TakesPasskeys = s.D.Staff.TakesPasskeys()
	return s.Render(c, status, templates.AskSecond(page))
}

// FinishLogin is POST /login/second (fields code, next, language).
func (s *Screens) FinishLogin(c *gin.Context) error {
	device := s.Cookie(c.Request, "device")
	user, err := s.D.Staff.FinishLogin(
		c.Request.Context(), s.Cookie(c.Request, secondCookie), c.PostForm("code"),
		staff.Attempt{Address: c.ClientIP(), Device: device},
	)
	switch {
	case fault.KindOf(err) == fault.Forbidden: // they must begin again with the password
		return s.refuseLogin(c, err, s.showLogin)
	case err != nil:
		return s.refuseLogin(c, err, s.showSecondForm)
	}
	s.SetCookie(c.Writer, secondCookie, "", -time.Second)
	return s.enter(c, user, device, onwardOf(c), true)
}

// Second is GET /account/second: the user's second factor.
func (s *Screens) Second(c *gin.Context) error {
	return s.showSecond(c, http.StatusOK, templates.SecondPage{Done: c.Query("done") == "proved"})
}

func (s *Screens) showSecond(c *gin.Context, status int, page templates.SecondPage) error {
	p := frame.Present(c)
	var err error
	if page.Second, err = s.D.Staff.Second(c.Request.Context(), p.User); err != nil {
		return err
	}
	page.Locale, page.CSRF = s.LocaleOf(c.Request), s.FormToken(c.Request)
	page.User, page.Must, page.TakesPasskeys = p.User, p.NeedSecond, s.D.Staff.TakesPasskeys()
	return s.Render(c, status, templates.Second(page))
}

// SecondQR is GET /account/second/qr.png: the secret of an app that is being set up.
func (s *Screens) SecondQR(c *gin.Context) error {
	second, err := s.D.Staff.Second(c.Request.Context(), frame.Present(c).User)
	if err != nil {
		return err
	}
	if second.URL == "" {
		return fault.New(fault.NotFound, "")
	}
	return frame.SendQR(c, second.URL, templates.SecondQRPixels)
}

// ChangeSecond is POST /account/second (fields act, password, code): begin and confirm set up an app, codes makes new
// recovery codes, remove removes the second factor, prove gives it again.
func (s *Screens) ChangeSecond(c *gin.Context) error {
	ctx, p := c.Request.Context(), frame.Present(c)
	by, password, code, address := p.Actor(), c.PostForm("password"), c.PostForm("code"), c.ClientIP()
	page := templates.SecondPage{Act: c.PostForm("act")}
	next, user := frame.SecondPath, p.User
	var err error
	switch page.Act {
	case "begin":
		err = s.D.Staff.BeginSecond(ctx, by)
	case "confirm":
		user, page.Codes, err = s.D.Staff.ConfirmSecond(ctx, by, password, code, address)
	case "codes":
		page.Codes, err = s.D.Staff.RenewRecovery(ctx, by, password, code, address)
	case "remove":
		next = "/account?done=second-removed"
		user, err = s.D.Staff.RemoveSecond(ctx, by, password, code, address)
	case "prove":
		next, err = frame.SecondPath+"?done=proved", s.D.Staff.ProveSecond(ctx, by, code, address)
	default:
		return fault.New(fault.NotFound, "")
	}
	page.Field = cmp.Or(fault.FieldOf(err), "code")
	var given *time.Time
	if page.Act != "begin" { // which asks for no code, whatever was sent
		given = new(s.D.Now())
	}
	return s.finishSecond(c, page, user, given, next, err)
}

// finishSecond ends an act on the user's second factor: it shows why it was refused, or the recovery codes that were
// just made, or continues. given is when the factor was given; nil: it was not.
func (s *Screens) finishSecond(
	c *gin.Context, page templates.SecondPage, user staff.User, given *time.Time, next string, err error,
) error {
	if frame.Mendable(err) {
		page.Problem = s.LocaleOf(c.Request).Fault(err)
		return s.showSecond(c, frame.StatusOf(err), page)
	}
	if err == nil && user.Epoch != frame.Present(c).User.Epoch { // all sessions ended; this one continues
		_, err = s.goOn(c, user)
	}
	if err != nil {
		return err
	}
	if given != nil && user.HasSecond() {
		s.NoteSecond(c.Request.Context(), *given)
	}
	if len(page.Codes) == 0 {
		return frame.Redirect(c, next)
	}
	page.Locale, page.CSRF = s.LocaleOf(c.Request), s.FormToken(c.Request)
	return s.Render(c, http.StatusOK, templates.SecondCodes(page))
}
