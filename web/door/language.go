package door

import (
	"net/url"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/web/frame"
	"airtill/web/locale"
)

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
