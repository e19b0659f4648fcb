package web

import (
	"net/url"
	"strings"

	"airtill/web/frame"
)

// ahead says what a page will ask of the database: those of a sale, which are asked for
// most.
func (p *Pages) ahead(path string, form url.Values, seen frame.Seen) []frame.Asked {
	if path == "/counter" {
		return p.counter.Ahead(form, seen)
	}
	if id, ok := strings.CutPrefix(path, "/sales/"); ok && !strings.Contains(id, "/") {
		return p.sale.Ahead(id, seen)
	}
	return nil
}
