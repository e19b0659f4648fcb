package templates

import (
	"context"
	"io"
	"regexp"

	"github.com/a-h/templ"
)

// setting is a variable of the environment as a text names it, with its value where it has one.
var setting = regexp.MustCompile(`\b[A-Z]+(?:_[A-Z]+)+(?:=\w+)?|\b[A-Z]{4,}=\w+`)

// withSettings is a text in which what somebody must type to the letter stands out.
func withSettings(text string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		shown := setting.ReplaceAllString(templ.EscapeString(text), `<code dir="ltr">$0</code>`)
		_, err := io.WriteString(w, shown)
		return err
	})
}
