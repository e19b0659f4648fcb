package frame

import (
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"airtill/web/locale"
)

// LanguageCookie has the language chosen on this browser for who has not
// signed in, or whose account names none.
const LanguageCookie = "language"

// CustomerLanguage is the language the customer reads: as chosen on the confirm
// page, else the one most spoken in the shop's country.
func CustomerLanguage(c *gin.Context) string {
	chosen := c.Request.FormValue("language")
	offered := func(l locale.Named) bool { return l.Tag == chosen }
	if slices.ContainsFunc(locale.CustomerLanguages(), offered) {
		return chosen
	}
	return locale.OfCountry(Present(c).Shop.Country).String()
}

// pageOfRequest is where to come back to after a change of what stands around
// the page.
func pageOfRequest(r *http.Request) string {
	if r.Method != http.MethodGet {
		return "/"
	}
	return r.URL.RequestURI()
}
