// Package reports is the day at a glance, and reports, on screen and by mail.
package reports

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/report"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// Screens are the pages of this room.
type Screens struct{ *frame.Server }

// reportKind is one of the reports.
type reportKind struct {
	Name    string             // in its address
	By      []report.Dimension // possible groupings; the first is the default
	columns []column
	main    int // the column to draw and compare
	Of      report.Source
}

var (
	timely   = []report.Dimension{report.ByDay, report.ByMonth}
	ofGoods  = []report.Dimension{report.ByProvider, report.ByProduct, report.ByCountry, report.ByKind}
	ofPeople = []report.Dimension{report.ByShop, report.ByTill, report.ByCashier}
	weekly   = []report.Dimension{report.ByWeek}
	byRule   = []report.Dimension{report.ByRule}
)

// reportFailures is the report whose figures are all of failed sales.
const reportFailures = "failures"

// Kinds lists the reports in the order they are offered.
func Kinds() []reportKind {
	return []reportKind{
		{
			"sales", slices.Concat(timely, ofPeople, ofGoods),
			[]column{colSales, colComplete, colFailed, colSuccess, colPaid},
			4, report.OfSales,
		},
		{
			"margin", slices.Concat(timely, ofPeople, ofGoods),
			[]column{colComplete, colPaid, colSent, colMarkUp, colCommission, colFees, colMargin},
			6, report.OfSales,
		},
		{
			"products", slices.Concat(ofGoods, timely),
			[]column{colComplete, colFailed, colSuccess, colPaid, colCommission, colMargin},
			3, report.OfSales,
		},
		{
			"cashiers",
			[]report.Dimension{report.ByCashier, report.ByTill, report.ByShop},
			[]column{colSales, colComplete, colFailed, colSuccess, colOutcome, colPaid, colRefunded},
			5, report.OfSales,
		},
		{
			reportFailures, slices.Concat([]report.Dimension{report.ByReason}, ofGoods[:1], ofGoods[2:3], timely),
			[]column{colFailed, colRefunded, colDue},
			0, report.OfSales,
		},
		{
			"commission", slices.Concat(ofGoods[:3], timely),
			[]column{colComplete, colSent, colExpected, colCommission, colShort},
			3, report.OfSales,
		},
		{
			"hours",
			[]report.Dimension{report.BySlot},
			[]column{colSales, colComplete, colFailed, colSuccess, colPaid, colUsed},
			0, report.OfSales,
		},
		{
			"cash", slices.Concat(timely, ofPeople),
			[]column{
				colShifts, colOpening, colTaken, colPaidIn, colDropped, colExpenses, colExpectedCash, colCounted,
				colDifference, colOff,
			},
			2, report.OfDrawers,
		},
		{
			"limits", slices.Concat(weekly, byRule, ofPeople),
			[]column{colStopped, colAllowed, colHeld},
			0, report.OfStops,
		},
	}
}

// title is what the report is called.
func (k reportKind) title(l locale.Locale) string { return l.Text("reports.title." + k.Name) }

// findReport returns a report as a user may see it: without costs for those who may not see them.
func findReport(name string, u staff.User) (reportKind, error) {
	for _, kind := range Kinds() {
		if kind.Name != name {
			continue
		}
		if u.Can(staff.ViewCost) {
			return kind, nil
		}
		main := kind.columns[kind.main]
		var open []column
		for _, c := range kind.columns {
			if !c.cost {
				if c.name == main.name {
					kind.main = len(open)
				}
				open = append(open, c)
			}
		}
		if kind.columns = open; len(open) > 0 && !main.cost {
			return kind, nil
		}
	}
	return reportKind{}, fault.New(fault.NotFound, "")
}

// First is GET /reports: the first of them.
func (s *Screens) First(c *gin.Context) error { return frame.Redirect(c, "/reports/"+Kinds()[0].Name) }

// Report is GET /reports/:name, or with .csv, .xlsx or .pdf the same as a file.
func (s *Screens) Report(c *gin.Context) error {
	name, format, _ := strings.Cut(c.Param("name"), ".")
	kind, err := findReport(name, frame.Present(c).User)
	if err != nil {
		return err
	}
	ask, err := s.readAsk(c, kind, c.Request.URL.Query())
	if err != nil {
		return err
	}
	if format != "" {
		return s.exportReport(c, ask, format)
	}
	var found figures
	status := http.StatusOK
	if ask.problem == nil {
		found, err = s.answerReport(c.Request.Context(), s.LocaleOf(c.Request), ask)
		if fault.KindOf(err) == fault.Invalid {
			ask.problem, err = err, nil
		}
	}
	if err != nil {
		return err
	}
	if ask.problem != nil {
		status = http.StatusUnprocessableEntity
	}
	return s.showReport(c, status, ask, found)
}

// figures is the rollups' answer to an ask.
type figures struct {
	rows   []report.Row
	before []report.Row // of the comparison
	names  frame.ReportNames
}

// nothing is the key of what an empty report says.
func (k reportKind) nothing() string {
	switch k.Of {
	case report.OfDrawers:
		return "reports.nothing.cash"
	case report.OfStops:
		return "reports.nothing.limits"
	case report.OfSales:
	}
	return "reports.nothing"
}

func (s *Screens) answerReport(ctx context.Context, l locale.Locale, a ask) (figures, error) {
	queries := []report.Query{a.query(a.from, a.to)}
	if from, to, compared := a.comparison(); compared && to > report.FirstDay { // nothing was sold before
		queries = append(queries, a.query(max(from, report.FirstDay), to))
	}
	rows, err := s.D.Report.AllSums(ctx, queries...)
	if err != nil {
		return figures{}, err
	}
	found := figures{rows: rows[0]}
	if len(rows) > 1 {
		found.before = rows[1]
	}
	found.names, err = s.ReportNames(ctx, l, a.shops, a.products(found.rows))
	return found, err
}

// products are those named by a report.
func (a ask) products(rows []report.Row) []string {
	skus := []string{a.only[report.ByProduct]}
	for _, row := range rows {
		if row.SKU != "" {
			skus = append(skus, row.SKU)
		}
	}
	return skus
}

func (s *Screens) showReport(c *gin.Context, status int, a ask, found figures) error {
	views, err := s.D.Report.Views(c.Request.Context(), frame.Present(c).User.ID)
	if err != nil {
		return err
	}
	mailing, err := s.mailForm(c.Request.Context(), s.LocaleOf(c.Request), a, frame.Present(c).User)
	if err != nil {
		return err
	}
	if a.problem != nil { // nothing was asked, but the form needs names
		found.names, err = s.ReportNames(c.Request.Context(), s.LocaleOf(c.Request), a.shops, a.products(nil))
		if err != nil {
			return err
		}
	}
	return s.Show(c, status, func(f templates.Frame) templ.Component {
		page := templates.ReportsPage{
			Frame: f, Views: views, Mail: mailing, None: f.Text(a.kind.nothing()), Title: a.kind.title(f.Locale),
			Form: a.form(f.Locale, found.names), Reports: reportLinks(f.Locale, a, frame.Present(c).User),
		}
		page.Self, page.ViewName, page.ViewProblem = a.url(""), a.viewName, f.Fault(a.viewProblem)
		if a.problem != nil {
			page.Problem = f.Fault(a.problem)
			return templates.Reports(page)
		}
		t := a.table(f.Locale, found)
		page.Table = t.page(f.Locale)
		page.Picture = t.picture(f.Locale)
		page.Exports = frame.FormatLinks(func(format string) string { return a.url("." + format) })
		return templates.Reports(page)
	})
}

// reportLinks lead to the other reports, with the same period and the filters they know.
func reportLinks(l locale.Locale, a ask, u staff.User) []templates.Link {
	var links []templates.Link
	for _, kind := range Kinds() {
		if _, err := findReport(kind.Name, u); err != nil {
			continue
		}
		other := a
		other.kind, other.by, other.only = kind, kind.By[0], map[report.Dimension]string{}
		for _, d := range filters {
			if value := a.only[d]; value != "" && other.takes(d) {
				other.only[d] = value
			}
		}
		if kind.Name == a.kind.Name {
			other = a
		}
		links = append(links, templates.Link{
			Text: kind.title(l), URL: other.url(""), Current: kind.Name == a.kind.Name,
		})
	}
	return links
}
