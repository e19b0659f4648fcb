package frame

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/qr"
	"github.com/gin-gonic/gin"
	"golang.org/x/text/language"

	"airtill/internal/fault"
	"airtill/internal/jobs"
	"airtill/internal/picture"
	"airtill/internal/report"
	"airtill/internal/sheet"
	"airtill/web/locale"
	"airtill/web/templates"
)

// HowFar is how much of long work is done, with its share if the total is known.
func HowFar(l locale.Locale, w jobs.Work) string {
	if w.Total == 0 {
		return l.Number(w.Done)
	}
	return l.Text("jobs.of", l.Number(w.Done), l.Number(w.Total), l.Share(picture.PerMille(w.Done, w.Total)))
}

// NoonOf is a date at noon by the clocks of who reads it, for formatting.
func NoonOf(l locale.Locale, d report.Day) time.Time {
	year, month, day := d.Time().Date()
	return time.Date(year, month, day, 12, 0, 0, 0, l.Zone())
}

// PeriodText writes days, half-open, as people do.
func PeriodText(l locale.Locale, from, to report.Day) string {
	return l.Text("reports.period", l.Date(NoonOf(l, from)), l.Date(NoonOf(l, to-1)))
}

// ExportFormats are the formats of files.
var ExportFormats = []string{"csv", "xlsx", "pdf"}

// CheckFormat refuses a file of a format that there is none of. Whoever reads much for a file asks before that.
func CheckFormat(format string) error {
	if !slices.Contains(ExportFormats, format) {
		return fault.New(fault.NotFound, "")
	}
	return nil
}

// ContentTypes are the media types of files, by format.
var ContentTypes = map[string]string{
	"csv": "text/csv; charset=utf-8", "pdf": "application/pdf",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// Printable is the locale a file is written in. The typeface of printed pages has no right-to-left script, and not the
// sign of every currency.
func Printable(l locale.Locale, format string) locale.Locale {
	if format != "pdf" {
		return l
	}
	if l.Direction() == locale.RightToLeft {
		l = locale.New(language.English, l.Zone())
	}
	return l.WithSigns(sheet.Prints)
}

// exportWithin is how long a file may take to download; the limit for pages would cut a long one off.
const exportWithin = 30 * time.Minute

// SendSheet answers with a table as a file. CSV and workbooks go out row by row: when the browser stops
// reading, so does the query.
func (s *Server) SendSheet(c *gin.Context, t sheet.Table, l locale.Locale, name, format string) error {
	if err := CheckFormat(format); err != nil {
		return err
	}
	user := Present(c).User
	task := s.D.Board.Begin(jobs.Export, "", int64(t.Count)).For(user.ID)
	t.Rows = Watched(c.Request.Context(), task, name+"."+format+", "+user.DisplayName, t.Rows)
	header := c.Writer.Header()
	header.Set("Content-Type", ContentTypes[format])
	header.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.%s"`, name, format))
	until := time.Now().Add(exportWithin) //nolint:forbidigo // a connection knows no clock but the machine's
	if err := http.NewResponseController(c.Writer).SetWriteDeadline(until); err != nil {
		return err
	}
	if format != "pdf" {
		return WriteSheet(c.Writer, t, l, format)
	}
	var page bytes.Buffer // so that a page that fails becomes an error page
	if err := WriteSheet(&page, t, l, format); err != nil {
		return err
	}
	_, err := c.Writer.Write(page.Bytes())
	return err
}

// Watched counts a file's rows on the board of long work.
func Watched(
	ctx context.Context, task *jobs.Task, detail string, rows iter.Seq2[[]sheet.Cell, error],
) iter.Seq2[[]sheet.Cell, error] {
	return func(yield func([]sheet.Cell, error) bool) {
		n := int64(0)
		defer task.End(ctx)
		for row, err := range rows {
			if !yield(row, err) {
				return
			}
			n++
			task.At(ctx, detail, n)
		}
	}
}

// WriteSheet writes a table as a file of a format.
func WriteSheet(w io.Writer, t sheet.Table, l locale.Locale, format string) error {
	switch format {
	case "csv":
		return t.WriteCSV(w)
	case "xlsx":
		return t.WriteXLSX(w)
	}
	return t.WritePDF(w, WordsOf(l), l.Text("reports.more", l.Number(sheet.MostPrinted)))
}

// WordsOf are the words that files are written with.
func WordsOf(l locale.Locale) sheet.Words {
	return sheet.Words{Whole: l.Number, Amount: l.Amount, Share: l.Share, Tenths: l.Tenths, Moment: l.DateTime}
}

// SendQR answers with a picture of the code that leads to an address, so many pixels wide.
func SendQR(c *gin.Context, address string, pixels int) error {
	code, err := qr.Encode(address, qr.M, qr.Auto)
	if err != nil {
		return err
	}
	if code, err = barcode.Scale(code, pixels, pixels); err != nil {
		return err
	}
	var out bytes.Buffer
	if err := png.Encode(&out, code); err != nil {
		return err
	}
	c.Data(http.StatusOK, "image/png", out.Bytes())
	return nil
}

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
