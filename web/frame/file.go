package frame

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"io"
	"iter"
	"net/http"
	"slices"
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

// Printable is the locale a file is written in. The typeface of printed pages has no right-to-left script.
func Printable(l locale.Locale, format string) locale.Locale {
	if format == "pdf" && l.Direction() == locale.RightToLeft {
		return locale.New(language.English, l.Zone())
	}
	return l
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
