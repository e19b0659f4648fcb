package frame

import (
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"airtill/web/locale"
)

// LanguageCookie holds the language chosen in this browser, for people who are not signed in or whose account
// sets none.
const LanguageCookie = "language"

// CustomerLanguage is the customer's language: as chosen on the confirm page, or the one most spoken in the
// shop's country.
func CustomerLanguage(c *gin.Context) string {
	chosen := c.Request.FormValue("language")
	offered := func(l locale.Named) bool { return l.Tag == chosen }
	if slices.ContainsFunc(locale.CustomerLanguages(), offered) {
		return chosen
	}
	return locale.OfCountry(Present(c).Shop.Country).String()
}

// pageOfRequest is where to return after a change of something around the page.
func pageOfRequest(x *exchange, r *http.Request) string {
	if x.writer != nil {
		if pushed := x.writer.Header().Get("HX-Push-Url"); pushed != "" {
			return pushed // a posted look-up has an address of its own
		}
	}
	if r.Method != http.MethodGet {
		return "/"
	}
	return r.URL.RequestURI()
}
