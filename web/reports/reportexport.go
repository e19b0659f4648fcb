package reports

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"airtill/internal/jobs"
	"airtill/internal/sheet"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// exportReport answers with a report as a file.
func (s *Screens) exportReport(c *gin.Context, a ask, format string) error {
	if err := frame.CheckFormat(format); err != nil {
		return err
	}
	if a.problem != nil {
		return a.problem
	}
	l := frame.Printable(s.LocaleOf(c.Request), format)
	found, err := s.answerReport(c.Request.Context(), l, a)
	if err != nil {
		return err
	}
	return s.SendSheet(c, s.reportSheet(a, found, l), l, a.fileName(), format)
}

// reportSheet is a report as a table for files.
func (s *Screens) reportSheet(a ask, found figures, l locale.Locale) sheet.Table {
	a.all = true
	table := a.table(l, found).sheet(l)
	table.Notes = append(a.about(l, found.names), l.Text("reports.made", l.DateTime(s.D.Now())))
	return table
}

// about says what the figures are of: the shops, the period, what narrows them, and what they are compared with.
func (a ask) about(l locale.Locale, names frame.ReportNames) []string {
	lines := []string{a.place(l), frame.PeriodText(l, a.from, a.to)}
	for _, d := range filters {
		if value := a.only[d]; value != "" {
			lines = append(lines, dimensionName(l, d)+": "+a.filterName(l, d, names))
		}
	}
	if from, to, compared := a.comparison(); compared {
		lines = append(lines, l.Text("reports.compare")+": "+frame.PeriodText(l, from, to))
	}
	return lines
}

// place is the shops a report is of.
func (a ask) place(l locale.Locale) string {
	if len(a.shops) == 1 {
		return a.shops[0].Name
	}
	return l.Text("reports.allShops")
}

// fileName is the name of a report's file, without extension.
func (a ask) fileName() string {
	return a.kind.Name + "-" + a.from.String() + "-" + (a.to - 1).String()
}

// FilesUnderWay is GET /files/running: the progress of this user's files.
func (s *Screens) FilesUnderWay(c *gin.Context) error {
	running, err := s.D.Board.Running(c.Request.Context())
	if err != nil {
		return err
	}
	l, files := s.LocaleOf(c.Request), []templates.RunningFile{}
	for _, w := range running {
		if w.Kind == jobs.Export && w.AskedBy == frame.Present(c).User.ID {
			name, _, _ := strings.Cut(w.Detail, ",")
			files = append(files, templates.RunningFile{
				Name: name, Far: frame.HowFar(l, w), Done: w.Done, Total: w.Total,
			})
		}
	}
	return s.Render(c, http.StatusOK, templates.RunningFiles(files))
}
