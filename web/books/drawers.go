package books

import (
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/report"
	"airtill/internal/sheet"
	"airtill/web/frame"
	"airtill/web/templates"
)

const (
	drawersDays  = 30
	drawersShown = 200 // those who are short most; a file has all
)

// Drawers is GET /reconcile/drawers: over and short by cashier.
func (s *Screens) Drawers(c *gin.Context) error {
	now := s.D.Now()
	all, err := s.D.Reconcile.OverAndShort(
		c.Request.Context(), frame.Present(c).Shop.ID, now.AddDate(0, 0, -drawersDays), now,
	)
	if err != nil {
		return err
	}
	who, err := s.Names(c)
	if err != nil {
		return err
	}
	if c.Query("file") != "" {
		return s.drawersFile(c, all, who)
	}
	return s.Show(c, http.StatusOK, func(f templates.Frame) templ.Component {
		page := templates.DrawersPage{
			Frame: f, Days: drawersDays, Files: frame.FileLinks(c.Request.URL, c.Request.URL.Query()),
		}
		all, page.Most = listed(all, drawersShown)
		for _, d := range all {
			row := templates.DrawerRow{
				Cashier: who.People[d.CashierID], Shifts: f.Number(int64(d.Shifts)), Off: f.Number(int64(d.Off)),
				Over: f.Amount(money.Of(d.Over, d.Currency)), Short: f.Amount(money.Of(d.Short, d.Currency)),
				URL: drawersOverTime(report.DayOf(now, f.Zone()), d.CashierID),
			}
			if d.Later != 0 {
				page.Later, row.Later = true, f.Amount(money.Of(d.Later, d.Currency))
			}
			page.Rows = append(page.Rows, row)
		}
		return templates.Drawers(page)
	})
}

// drawersOverTime is one cashier's drawers over a year, by month.
func drawersOverTime(today report.Day, cashierID string) string {
	const year = 365
	return "/reports/cash?" + url.Values{
		"by": {string(report.ByMonth)}, string(report.ByCashier): {cashierID}, "from": {(today - year).String()},
		"to": {today.String()},
	}.Encode()
}

// drawersFile is the same table as a file.
func (s *Screens) drawersFile(c *gin.Context, all []reconcile.CashierDrawers, who frame.Names) error {
	l := s.FileLocale(c)
	columns := []sheet.Column{
		{Name: l.Text("drawers.cashier"), Wide: 3},
		{Name: l.Text("drawers.shifts"), End: true},
		{Name: l.Text("drawers.off"), End: true},
		{Name: l.Text("drawers.over"), End: true},
		{Name: l.Text("drawers.short"), End: true},
		{Name: l.Text("drawers.later"), End: true},
		{Name: l.Text("reports.col.currency")},
	}
	var rows [][]sheet.Cell
	for _, d := range all {
		rows = append(rows, []sheet.Cell{
			sheet.Text(who.People[d.CashierID]), sheet.Whole(int64(d.Shifts)), sheet.Whole(int64(d.Off)),
			sheet.Amount(money.Of(d.Over, d.Currency)), sheet.Amount(money.Of(d.Short, d.Currency)),
			sheet.Amount(money.Of(d.Later, d.Currency)), sheet.Text(string(d.Currency)),
		})
	}
	return s.SendList(c, l.Text("drawers.title"), "drawers", columns, rows)
}
