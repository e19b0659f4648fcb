package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"golang.org/x/text/language"

	"airtill/internal/fault"
	"airtill/internal/jobs"
	"airtill/internal/sheet"
	"airtill/web/locale"
	"airtill/web/templates"
)

// exportFormats are the kinds of file there are.
var exportFormats = []string{"csv", "xlsx", "pdf"}

var contentTypes = map[string]string{
	"csv": "text/csv; charset=utf-8", "pdf": "application/pdf",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// exportReport answers with a report as a file.
func (s *Server) exportReport(c *gin.Context, a ask, format string) error {
	if !slices.Contains(exportFormats, format) {
		return fault.New(fault.NotFound, "")
	}
	if a.problem != nil {
		return a.problem
	}
	found, err := s.answerReport(c.Request.Context(), a)
	if err != nil {
		return err
	}
	l := printable(s.localeOf(c.Request), format)
	return s.sendSheet(c, s.reportSheet(a, found, l), l, a.fileName(), format)
}

// reportSheet is a report as a table to be taken away.
func (s *Server) reportSheet(a ask, found figures, l locale.Locale) sheet.Table {
	a.all = true
	table := a.table(l, found).sheet(l)
	table.Notes = []string{
		l.Text("reports.period", l.Date(noonOf(a.from)), l.Date(noonOf(a.to-1))), l.Text("reports.made", l.DateTime(s.d.Now())),
	}
	return table
}

// fileName is what a report's file is called, without its ending.
func (a ask) fileName() string {
	return a.kind.name + "-" + a.from.String() + "-" + (a.to - 1).String()
}

// printable is the locale in which a file is written. The typeface of printed
// pages has no script that runs from right to left.
func printable(l locale.Locale, format string) locale.Locale {
	if format == "pdf" && l.Direction() == locale.RightToLeft {
		return locale.New(language.English, l.Zone())
	}
	return l
}

// exportWithin is how long a file may take to be read; the limit for pages would
// cut a long one off.
const exportWithin = 30 * time.Minute

// sendSheet answers with a table as a file. CSV and workbooks go out row by row:
// when the browser stops reading, the rows behind them stop too.
func (s *Server) sendSheet(c *gin.Context, t sheet.Table, l locale.Locale, name, format string) error {
	user := present(c).User
	task := s.d.Board.Begin(jobs.Export, "", int64(t.Count)).For(user.ID)
	t.Rows = watched(c.Request.Context(), task, name+"."+format+", "+user.DisplayName, t.Rows)
	header := c.Writer.Header()
	header.Set("Content-Type", contentTypes[format])
	header.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.%s"`, name, format))
	if err := http.NewResponseController(c.Writer).SetWriteDeadline(time.Now().Add(exportWithin)); err != nil { //nolint:forbidigo // a connection knows no clock but the machine's
		return err
	}
	if format != "pdf" {
		return writeSheet(c.Writer, t, l, format)
	}
	var page bytes.Buffer // so that a page that cannot be finished becomes an error page
	if err := writeSheet(&page, t, l, format); err != nil {
		return err
	}
	_, err := c.Writer.Write(page.Bytes())
	return err
}

// watched counts the rows of a file on the board of long work.
func watched(ctx context.Context, task *jobs.Task, detail string, rows iter.Seq2[[]sheet.Cell, error]) iter.Seq2[[]sheet.Cell, error] {
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

// filesUnderWay is GET /files/running: how far the files are that this user asked for.
func (s *Server) filesUnderWay(c *gin.Context) error {
	running, err := s.d.Board.Running(c.Request.Context())
	if err != nil {
		return err
	}
	l, files := s.localeOf(c.Request), []templates.RunningFile{}
	for _, w := range running {
		if w.Kind == jobs.Export && w.AskedBy == present(c).User.ID {
			name, _, _ := strings.Cut(w.Detail, ",")
			files = append(files, templates.RunningFile{Name: name, Far: howFar(l, w), Done: w.Done, Total: w.Total})
		}
	}
	return s.render(c, http.StatusOK, templates.RunningFiles(files))
}

// writeSheet writes a table as a file of a format.
func writeSheet(w io.Writer, t sheet.Table, l locale.Locale, format string) error {
	switch format {
	case "csv":
		return t.WriteCSV(w)
	case "xlsx":
		return t.WriteXLSX(w)
	}
	return t.WritePDF(w, wordsOf(l), l.Text("reports.more", l.Number(sheet.MostPrinted)))
}
