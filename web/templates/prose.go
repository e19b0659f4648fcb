package templates

import (
	"bytes"
	"context"
	"io"
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
