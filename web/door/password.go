package door

import (
	"cmp"
	"net/http"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/web/frame"
	"airtill/web/templates"
)

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
