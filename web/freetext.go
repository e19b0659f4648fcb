package web

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
)

// longestText is how long a reason, a remark or a reference may be, in characters:
// whoever has to judge by it reads all of it.
const longestText = 500

// typedText is a line of free text of a form, without the spaces around it. It fails
// with fault.Invalid on its field if it is too long: a text that was cut would stand
// in the books as if somebody had written it so.
func typedText(c *gin.Context, field string) (string, error) {
	text := strings.TrimSpace(strings.Map(onOneLine, strings.ToValidUTF8(c.PostForm(field), "\uFFFD")))
	if utf8.RuneCountInString(text) > longestText {
		return "", fault.OnField(field, "text.too-long-here", longestText)
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
