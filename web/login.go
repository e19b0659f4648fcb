package web

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/templates"
)

const deviceKept = 400 * 24 * time.Hour // the longest that browsers keep a cookie

// loginForm is GET /login.
func (s *Server) loginForm(c *gin.Context) error {
	next := localPath(c.Query("next"))
	if exchangeOf(c.Request.Context()).signedIn {
		return redirect(c, next)
	}
	return s.showLogin(c, http.StatusOK, templates.LoginPage{Next: next, Chosen: c.Query("language")})
}

func (s *Server) showLogin(c *gin.Context, status int, page templates.LoginPage) error {
	s.beginForm(c)
	page.Locale, page.CSRF = s.localeOf(c.Request), s.formToken(c.Request)
	if page.Next == "/" {
		page.Next = ""
	}
	return s.render(c, status, templates.Login(page))
}

// login is POST /login.
func (s *Server) login(c *gin.Context) error {
	ctx := c.Request.Context()
	device := s.cookie(c.Request, "device")
	attempt := staff.Attempt{Username: c.PostForm("username"), Password: c.PostForm("password"), Address: c.ClientIP(), Device: device}
	user, err := s.d.Staff.Login(ctx, attempt)
	if err != nil {
		return s.refuseLogin(c, err)
	}
	tillID, device, err := s.tillFor(c, user, device)
	if err != nil {
		return err
	}
	device, err = s.d.Staff.RememberDevice(ctx, device, user.ID, tillID)
	if err != nil {
		return err
	}
	if err := s.d.Staff.GavePassword(ctx, device, user); err != nil {
		return err
	}
	if chosen := c.PostForm("language"); locale.Speaks(chosen) { // on the page of the sign-in, a moment ago
		if err := s.d.Staff.SetLocale(ctx, user.ID, chosen); err != nil {
			return err
		}
	}
	if err := s.begin(ctx, user, tillID); err != nil {
		return err
	}
	s.setCookie(c.Writer, "device", device, deviceKept)
	if err := s.mindLock(c, device, user.ID); err != nil {
		return err
	}
	ask, err := s.askSeat(ctx, user, tillID)
	if err != nil {
		return err
	}
	if ask != "" {
		return redirect(c, ask)
	}
	return redirect(c, localPath(c.PostForm("next")))
}

// refuseLogin shows the form again with what was typed, but for the password.
func (s *Server) refuseLogin(c *gin.Context, err error) error {
	l := s.localeOf(c.Request)
	page := templates.LoginPage{Locale: l, Next: localPath(c.PostForm("next")), Username: c.PostForm("username"), Chosen: c.PostForm("language"), Problem: l.Fault(err)}
	var wait *staff.TooManyTries
	switch {
	case errors.As(err, &wait):
		page.Wait = wholeSeconds(wait.Wait)
		c.Header("Retry-After", strconv.Itoa(page.Wait))
		page.Problem = page.Text("error.429")
		return s.showLogin(c, http.StatusTooManyRequests, page)
	case fault.KindOf(err) == fault.Invalid:
		return s.showLogin(c, http.StatusUnprocessableEntity, page)
	}
	return err
}

// tillFor returns where a user who sells will stand, and the device that remembers
// it: the till of this browser, or else one at which nobody works.
func (s *Server) tillFor(c *gin.Context, u staff.User, device string) (tillID, known string, err error) {
	if !u.Can(staff.Sell) {
		return "", device, nil
	}
	ctx := c.Request.Context()
	till, stands, err := s.d.Staff.DeviceTill(ctx, device, u.ShopID)
	if err != nil || stands {
		return till.ID, device, err
	}
	all, err := s.d.Staff.Tills(ctx, u.ShopID)
	if err != nil {
		return "", device, err
	}
	var held []string
	for _, t := range all {
		shift, err := s.d.Till.Current(ctx, t.ID)
		if err != nil {
			return "", device, err
		}
		if shift != nil && shift.SeatBy != u.ID {
			held = append(held, t.ID)
		}
	}
	return s.d.Staff.TakeTill(ctx, u, device, held)
}

// logout is POST /logout.
func (s *Server) logout(c *gin.Context) error {
	if err := s.sessions.Destroy(c.Request.Context()); err != nil {
		return err
	}
	return redirect(c, "/login")
}

// localPath returns where to go after login: a path of ours, or the start. A
// browser takes "//host" and "/\host" for another site.
func localPath(next string) string {
	u, err := url.Parse(next)
	bad := err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(next, "/") ||
		strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\t\r\n") || strings.HasPrefix(next, "/login") || strings.HasPrefix(next, "/unlock") || strings.HasPrefix(next, "/logout")
	if bad {
		return "/"
	}
	return next
}
