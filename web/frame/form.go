package frame

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/store"
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
