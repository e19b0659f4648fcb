package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/templates"
)

// lock is POST /lock: the session ends here, and whoever comes next says who
// they are. On a trusted till that is a PIN.
func (s *Server) lock(c *gin.Context) error {
	if err := s.sessions.Destroy(c.Request.Context()); err != nil {
		return err
	}
	return redirect(c, s.gate(c.Request, localPath(c.PostForm("next"))))
}

// gate is where somebody who is not signed in says who they are: by PIN where
// this browser takes PINs, else by password.
func (s *Server) gate(r *http.Request, next string) string {
	path := "/login"
	colleagues, err := s.d.Staff.Colleagues(r.Context(), s.cookie(r, "device"))
	if err == nil && len(colleagues) > 0 { // otherwise the password will do
		path = "/unlock"
	}
	if next == "/" || next == "" {
		return path
	}
	return path + "?next=" + url.QueryEscape(next)
}

// unlockForm is GET /unlock.
func (s *Server) unlockForm(c *gin.Context) error {
	next := localPath(c.Query("next"))
	if exchangeOf(c.Request.Context()).signedIn {
		return redirect(c, next)
	}
	return s.showUnlock(c, http.StatusOK, templates.UnlockPage{Next: next})
}

func (s *Server) showUnlock(c *gin.Context, status int, page templates.UnlockPage) error {
	colleagues, err := s.d.Staff.Colleagues(c.Request.Context(), s.cookie(c.Request, "device"))
	if err != nil {
		return err
	}
	if len(colleagues) == 0 {
		return redirect(c, "/login?next="+url.QueryEscape(page.Next))
	}
	s.beginForm(c)
	page.Locale, page.CSRF = s.localeOf(c.Request), s.formToken(c.Request)
	page.PasswordURL = "/login?next=" + url.QueryEscape(page.Next)
	for _, colleague := range colleagues {
		page.People = append(page.People, templates.Option{Value: colleague.ID, Text: colleague.Name})
	}
	return s.render(c, status, templates.Unlock(page))
}

// unlock is POST /unlock (fields pin, next; user if the PIN alone does not
// tell): a session for whose PIN it is, at this till.
func (s *Server) unlock(c *gin.Context) error {
	ctx, device := c.Request.Context(), s.cookie(c.Request, "device")
	next := localPath(c.PostForm("next"))
	unlocked, err := s.d.Staff.Unlock(ctx, device, c.PostForm("user"), c.PostForm("pin"))
	switch {
	case errors.Is(err, staff.ErrPassword):
		return redirect(c, "/login?next="+url.QueryEscape(next))
	case fault.KindOf(err) == fault.Invalid:
		return s.showUnlock(c, http.StatusUnprocessableEntity, templates.UnlockPage{Next: next, Problem: s.localeOf(c.Request).Fault(err)})
	case fault.KindOf(err) == fault.Conflict:
		return s.showUnlock(c, http.StatusConflict, templates.UnlockPage{Next: next, Problem: s.localeOf(c.Request).Fault(err), AskWho: true})
	case err != nil:
		return err
	}
	tillID, device, err := s.tillFor(c, unlocked.User, device)
	if err != nil {
		return err
	}
	if err := s.beginSince(ctx, unlocked.User, tillID, unlocked.Since); err != nil {
		return err
	}
	if err := s.mindLock(c, device, unlocked.User.ID); err != nil {
		return err
	}
	return redirect(c, next)
}
