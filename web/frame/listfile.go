package frame

import (
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/report"
	"airtill/internal/sheet"
	"airtill/web/locale"
	"airtill/web/templates"
)

// FileLinks lead from a list's page to files of it: the same address with a format.
func FileLinks(page *url.URL, values url.Values) []templates.Link {
	return FormatLinks(func(format string) string {
		values.Set("file", format)
		return page.Path + "?" + values.Encode()
	})
}

// FormatLinks lead to files of each format.
func FormatLinks(address func(format string) string) []templates.Link {
	var links []templates.Link
	for _, format := range ExportFormats {
		links = append(links, templates.Link{Text: strings.ToUpper(format), URL: address(format)})
	}
	return links
}

// ListURL is the page of a list that may also be shown after a POST elsewhere.
func ListURL(path string) *url.URL { return &url.URL{Path: path} }

// AllOf is the address of a list from its first page on.
func AllOf(page *url.URL) url.Values {
	values := page.Query()
	values.Del("before")
	values.Del("before-open")
	return values
}

// RowsOf is how many rows of a list to read: one more than its page lists, which says that there are more; for a file
// all (-1), or for a printed one just so many that it can say so, too. A format that we have none of, which SendList
// refuses, is not worth more than the page.
func RowsOf(c *gin.Context, listed int) int {
	switch c.Query("file") {
	case "csv", "xlsx":
		return -1
	case "pdf":
		return sheet.MostPrinted + 1
	}
	return listed + 1
}

// ReadDays reads of which days a list is (from, to), half-open: today, and one end alone moves the other only as far as
// it must.
func ReadDays(c *gin.Context, today report.Day) (from, to report.Day, err error) {
	from, to = today, today+1
	if typed := c.Query("from"); typed != "" {
		if from, err = report.ParseDay(typed); err != nil {
			return from, to, fault.OnField("from", "period.first-day")
		}
		to = max(to, from+1)
	}
	if typed := c.Query("to"); typed != "" {
		last, err := report.ParseDay(typed)
		if err != nil {
			return from, to, fault.OnField("to", "period.last-day")
		}
		if to = last + 1; c.Query("from") == "" {
			from = min(from, last)
		}
	}
	if to <= from {
		return from, to, fault.OnField("to", "period.ends-first")
	}
	return from, to, nil
}

// Page is a page of a list that was read with one row more, and whether that was there: then there is more to see.
func Page[T any](rows []T, most int) (page []T, more bool) {
	return rows[:min(len(rows), most)], len(rows) > most
}

// FileLocale is the locale of the requested file.
func (s *Server) FileLocale(c *gin.Context) locale.Locale {
	return Printable(s.LocaleOf(c.Request), c.Query("file"))
}

// SendList answers with rows as the requested kind of file.
func (s *Server) SendList(c *gin.Context, title, name string, columns []sheet.Column, rows [][]sheet.Cell) error {
	l := s.FileLocale(c)
	table := sheet.Table{
		Title: title, Notes: []string{l.Text("reports.made", l.DateTime(s.D.Now()))}, Columns: columns,
		Rows: sheet.From(rows),
	}
	return s.SendSheet(c, table, l, name, c.Query("file"))
}
