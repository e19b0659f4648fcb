package web

import (
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/web/locale"
)

// languageCookie keeps the language chosen on this browser for who has not
// signed in, or whose account names none.
const languageCookie = "language"

// chooseLanguage is POST /language: from now on this person reads in the
// language of the field of that name, and comes back to the page in "next".
func (s *Server) chooseLanguage(c *gin.Context) error {
	tag, next := c.PostForm("language"), localPath(c.PostForm("next"))
	if !locale.Speaks(tag) {
		return fault.OnField("language", "language.none")
	}
	if x := exchangeOf(c.Request.Context()); x.signedIn {
		if err := s.d.Staff.SetLocale(c.Request.Context(), x.presence.User.ID, tag); err != nil {
			return err
		}
	} else {
		next = "/login?language=" + tag + "&next=" + url.QueryEscape(next)
	}
	s.setCookie(c.Writer, languageCookie, tag, deviceKept)
	return redirect(c, next)
}

// customerLanguage is the language the customer reads: as chosen on the confirm
// page, else the one most spoken in the shop's country.
func customerLanguage(c *gin.Context) string {
	if chosen := c.Request.FormValue("language"); locale.Speaks(chosen) {
		return chosen
	}
	return locale.OfCountry(present(c).Shop.Country).String()
}

// pageOfRequest is where to come back to after a change of what stands around
// the page.
func pageOfRequest(r *http.Request) string {
	if r.Method != http.MethodGet {
		return "/"
	}
	return r.URL.RequestURI()
}
