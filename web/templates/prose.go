package templates

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"sync"

	"github.com/a-h/templ"
	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
)

// Prose renders CommonMark from outside, such as a product's description: text, emphasis, lists and links, and
// nothing that could load or run anything. It returns nil for empty text.
func Prose(markdown string) templ.Component {
	if markdown == "" {
		return nil
	}
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var html bytes.Buffer
		if err := goldmark.Convert([]byte(markdown), &html); err != nil {
			return err
		}
		_, err := proseRules().SanitizeReader(&html).WriteTo(w)
		return err
	})
}

// proseRules allow what running text needs. Goldmark already leaves out raw HTML; this holds even if it errs.
var proseRules = sync.OnceValue(func() *bluemonday.Policy {
	rules := bluemonday.NewPolicy()
	rules.AllowElements("p", "br", "em", "strong", "ul", "ol", "li", "blockquote", "code")
	rules.AllowAttrs("href").OnElements("a")
	rules.AllowURLSchemes("https")
	rules.RequireParseableURLs(true)
	rules.RequireNoFollowOnLinks(true)
	rules.RequireNoReferrerOnLinks(true)
	rules.AddTargetBlankToFullyQualifiedLinks(true)
	return rules
})

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
