package web

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/web/templates"
)

const passwordPath = "/password"

// errOwnPassword: somebody else chose the user's password, and nothing else is
// done with it than to change it.
var errOwnPassword = fault.New(fault.Forbidden, "password.own-first")

// passwordForm is GET /password.
func (s *Server) passwordForm(c *gin.Context) error {
	return s.showPassword(c, http.StatusOK, templates.PasswordPage{})
}

func (s *Server) showPassword(c *gin.Context, status int, page templates.PasswordPage) error {
	u := present(c).User
	page.Locale, page.CSRF = s.localeOf(c.Request), s.formToken(c.Request)
	page.Username, page.Must = u.Username, u.MustChangePassword()
	return s.render(c, status, templates.Password(page))
}

// changePassword is POST /password (fields current, password): the session goes on
// under a new token, all others end.
func (s *Server) changePassword(c *gin.Context) error {
	ctx, p, device := c.Request.Context(), present(c), s.cookie(c.Request, "device")
	user, err := s.d.Staff.ChangePassword(ctx, p.Actor(), c.PostForm("current"), c.PostForm("password"), c.ClientIP())
	var f *fault.Error
	switch {
	case errors.As(err, &f) && f.Kind == fault.Invalid && f.Field == "current":
		return s.showPassword(c, http.StatusUnprocessableEntity, templates.PasswordPage{CurrentProblem: s.localeOf(c.Request).Fault(f)})
	case errors.As(err, &f) && f.Kind == fault.Invalid:
		return s.showPassword(c, http.StatusUnprocessableEntity, templates.PasswordPage{Problem: s.localeOf(c.Request).Fault(f)})
	case err != nil:
		return err
	}
	if err := s.d.Staff.GavePassword(ctx, device, user); err != nil {
		return err
	}
	if err := s.begin(ctx, user, p.Till.ID); err != nil {
		return err
	}
	if err := s.mindLock(c, device, user.ID); err != nil {
		return err
	}
	ask, err := s.askSeat(ctx, user, p.Till.ID)
	if err != nil {
		return err
	}
	return redirect(c, cmp.Or(ask, "/"))
}
