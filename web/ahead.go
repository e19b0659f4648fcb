package web

import (
	"net/http"
	"strings"

	"airtill/web/frame"
)

// ahead says what a page will ask of the database: those of a sale, which are asked for
// most.
func (p *Pages) ahead(r *http.Request, seen frame.Seen) []frame.Asked {
	if r.URL.Path == "/counter" {
		return p.counter.Ahead(r, seen)
	}
	if id, ok := strings.CutPrefix(r.URL.Path, "/sales/"); ok && !strings.Contains(id, "/") {
		return p.sale.Ahead(id, seen)
	}
	return nil
}
