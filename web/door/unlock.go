package door

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/templates"
)

// Lock is POST /lock: the session ends, and whoever comes next says who they are, on a trusted till by a PIN.
func (s *Screens) Lock(c *gin.Context) error {
	if err := s.Sessions.Destroy(c.Request.Context()); err != nil {
		return err
	}
	return frame.Redirect(c, s.Gate(c.Request, frame.LocalPath(c.PostForm("next"))))
}

// UnlockForm is GET /unlock.
func (s *Screens) UnlockForm(c *gin.Context) error {
	next := frame.LocalPath(c.Query("next"))
	if frame.ExchangeOf(c.Request.Context()).SignedIn {
		return frame.Redirect(c, next)
	}
	return s.showUnlock(c, http.StatusOK, templates.UnlockPage{Next: next})
}

func (s *Screens) showUnlock(c *gin.Context, status int, page templates.UnlockPage) error {
	colleagues, err := s.D.Staff.Colleagues(c.Request.Context(), s.Cookie(c.Request, "device"))
	if err != nil {
		return err
	}
	if len(colleagues) == 0 {
		return frame.Redirect(c, "/login?next="+url.QueryEscape(page.Next))
	}
	s.BeginForm(c)
	page.Locale, page.CSRF = s.LocaleOf(c.Request), s.FormToken(c.Request)
	page.PasswordURL = "/login?next=" + url.QueryEscape(page.Next)
	for _, colleague := range colleagues {
		page.People = append(page.People, templates.Choice{Value: colleague.ID, Text: colleague.Name})
	}
	return s.Render(c, status, templates.Unlock(page))
}

// Unlock is POST /unlock (fields pin, next; user if the PIN alone does not identify them): a session at this till for
// the person whose PIN it is.
func (s *Screens) Unlock(c *gin.Context) error {
	ctx, device := c.Request.Context(), s.Cookie(c.Request, "device")
	next := frame.LocalPath(c.PostForm("next"))
	who := c.PostForm("user")
	unlocked, err := s.D.Staff.Unlock(ctx, device, who, c.PostForm("pin"))
	switch {
	case errors.Is(err, staff.ErrPassword):
		return frame.Redirect(c, "/login?next="+url.QueryEscape(next))
	case fault.KindOf(err) == fault.Invalid:
		return s.showUnlock(c, http.StatusUnprocessableEntity, templates.UnlockPage{
			Next: next, Problem: s.LocaleOf(c.Request).Fault(err), AskWho: who != "", Who: who,
		})
	case fault.KindOf(err) == fault.Conflict:
		return s.showUnlock(c, http.StatusConflict, templates.UnlockPage{
			Next: next, Problem: s.LocaleOf(c.Request).Fault(err), AskWho: true,
		})
	case err != nil:
		return err
	}
	tillID, device, err := s.tillFor(c, unlocked.User, device)
	if err != nil {
		return err
	}
	if err := s.BeginSince(ctx, unlocked.User, tillID, unlocked.Since); err != nil {
		return err
	}
	if unlocked.SecondAt != nil {
		s.NoteSecond(ctx, *unlocked.SecondAt)
	}
	return frame.Then(c, s.MindLock(c.Request.Context(), device, unlocked.User.ID), next)
}
