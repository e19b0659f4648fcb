package web

import (
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/sheet"
	"airtill/web/locale"
	"airtill/web/templates"
)

// fileLinks lead from a page to what it lists, as files: the same address, and
// which kind of file.
func fileLinks(page *url.URL, values url.Values) []templates.Link {
	var links []templates.Link
	for _, format := range exportFormats {
		values.Set("file", format)
		links = append(links, templates.Link{Text: strings.ToUpper(format), URL: page.Path + "?" + values.Encode()})
	}
	return links
}

// listURL is the page of a list that is also shown after a POST elsewhere.
func listURL(path string) *url.URL { return &url.URL{Path: path} }

// allOf is the address of a list from its first page on.
func allOf(page *url.URL) url.Values {
	values := page.Query()
	values.Del("before")
	return values
}

// fileLocale is how what the address asks for is written.
func (s *Server) fileLocale(c *gin.Context) locale.Locale {
	return printable(s.localeOf(c.Request), c.Query("file"))
}

// sendList answers with rows as the kind of file that the address asks for.
func (s *Server) sendList(c *gin.Context, title, name string, columns []sheet.Column, rows [][]sheet.Cell) error {
	if !slices.Contains(exportFormats, c.Query("file")) {
		return fault.New(fault.NotFound, "")
	}
	l := s.fileLocale(c)
	table := sheet.Table{Title: title, Notes: []string{l.Text("reports.made", l.DateTime(s.d.Now()))}, Columns: columns, Rows: sheet.From(rows)}
	return s.sendSheet(c, table, l, name, c.Query("file"))
}
