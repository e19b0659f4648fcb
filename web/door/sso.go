package door

import (
	"net/http"
	"net/url"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/templates"
)

// ssoCookie names the cookie of a sign-in that is under way at the identity provider, by its state: two tabs may each
// have one.
func ssoCookie(state string) string { return "sso-" + state }

// BeginSSO is POST /login/sso (fields next, language): on to the identity provider, by a page with a link, since our
// content policy lets no form lead to another site.
func (s *Screens) BeginSSO(c *gin.Context) error {
	onward := onwardOf(c)
	address, token, err := s.D.Staff.BeginOutside(c.Request.Context(), onward)
	if err != nil {
		return s.refuseSSO(c, err, onward)
	}
	there, err := url.Parse(address)
	if err != nil {
		return fault.Doing("begin single sign-on", err)
	}
	s.SetCookie(c.Writer, ssoCookie(there.Query().Get("state")), token, challengeKept)
	c.Header("Refresh", "0; url="+address)
	page := templates.LeavePage{Locale: s.LocaleOf(c.Request), Address: address}
	return s.Render(c, http.StatusOK, templates.Leave(page))
}

// FinishSSO is GET /login/sso (fields code and state): back from the identity provider.
func (s *Screens) FinishSSO(c *gin.Context) error {
	own := ssoCookie(c.Query("state"))
	device, token := s.Cookie(c.Request, "device"), s.Cookie(c.Request, own)
	again := token == "" && s.D.Staff.SingleSignOn()
	if again && frame.ExchangeOf(c.Request.Context()).SignedIn { // Back led to the provider once more
		return frame.Redirect(c, "/")
	}
	if token != "" {
		s.SetCookie(c.Writer, own, "", -time.Second)
	}
	arrived, err := s.D.Staff.FinishOutside(
		c.Request.Context(), token, c.Query("state"), c.Query("code"),
		staff.Attempt{Address: c.ClientIP(), Device: device},
	)
	switch {
	case err != nil:
		return s.refuseSSO(c, err, arrived.Onward)
	case arrived.User.HasSecond() && !arrived.Second:
		return s.askSecond(c, arrived.User, true, arrived.Onward)
	}
	return s.enter(c, arrived.User, device, arrived.Onward, arrived.Second)
}

// refuseSSO shows the sign-in and why the identity provider did not help: somebody with a password needs none.
func (s *Screens) refuseSSO(c *gin.Context, err error, onward staff.Onward) error {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Conflict, fault.Forbidden, fault.Unavailable:
		return s.showLogin(c, frame.StatusOf(err), templates.LoginPage{
			Next: frame.LocalPath(onward.Next), Chosen: onward.Language, Problem: s.LocaleOf(c.Request).Fault(err),
		})
	default:
		return err
	}
}
