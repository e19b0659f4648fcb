package frame

import (
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/store"
	"airtill/web/locale"
)

// FormKey is the key of a page whose session ended under it, or a new one.
func (s *Server) FormKey(given string) string {
	if IsKey(given) {
		return given
	}
	return s.NewKey()
}

const keyLength = 26

// IsKey says whether a text may be an idempotency key.
func IsKey(text string) bool {
	return len(text) == keyLength && strings.Trim(text, "0123456789ABCDEFGHJKMNPQRSTVWXYZ") == ""
}

// NewKey makes the idempotency key of a form, so that the browser can name the sale before the button exists.
// It holds the time, so that forms older than a restored database are recognised.
func (s *Server) NewKey() string { return store.NewID(s.D.Now()) }

// LongestText is the longest reason, remark or reference, in characters: all of it is read by people who judge
// by it.
const LongestText = 500

// TypedText is a trimmed line of free text from a form. It fails with fault.Invalid on its field if it is too
// long: a text cut short would stand in the books as if written so.
func TypedText(c *gin.Context, field string) (string, error) {
	text := strings.TrimSpace(strings.Map(onOneLine, strings.ToValidUTF8(c.PostForm(field), "\uFFFD")))
	if utf8.RuneCountInString(text) > LongestText {
		return "", fault.OnField(field, "text.too-long-here", LongestText)
	}
	return text, nil
}

// onOneLine turns line ends, and what no database accepts, into spaces.
func onOneLine(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

// Practising says whether this session sells to nobody: the same screens, but transfers to a product's test
// number, which the upstream does not execute.
func (s *Server) Practising(c *gin.Context) bool {
	return s.D.Practice && s.Sessions.GetString(c.Request.Context(), SessionPractice) != ""
}

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
