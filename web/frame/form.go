package frame

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// FormKey is the key that a page was rendered with before, when a session ended
// under it; a new one if there is none.
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

// NewKey mints the idempotency key of a form: the browser has a name for the
// sale before the button exists.
// It tells when, so that a form that is older than a restored till is known.
func (s *Server) NewKey() string { return store.NewID(s.D.Now()) }

// LongestText is how long a reason, a remark or a reference may be, in characters:
// whoever has to judge by it reads all of it.
const LongestText = 500

// TypedText is a line of free text of a form, without the spaces around it. It fails
// with fault.Invalid on its field if it is too long: a text that was cut would stand
// in the books as if somebody had written it so.
func TypedText(c *gin.Context, field string) (string, error) {
	text := strings.TrimSpace(strings.Map(onOneLine, strings.ToValidUTF8(c.PostForm(field), "\uFFFD")))
	if utf8.RuneCountInString(text) > LongestText {
		return "", fault.OnField(field, "text.too-long-here", LongestText)
	}
	return text, nil
}

// onOneLine makes spaces of line ends and of what no database takes.
func onOneLine(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

// Practising says whether this session sells to nobody: the same screens, and
// transfers to a product's test number, which the upstream carries out nowhere.
func (s *Server) Practising(c *gin.Context) bool {
	return s.D.Practice && s.Sessions.GetString(c.Request.Context(), SessionPractice) != ""
}
