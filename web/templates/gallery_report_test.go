package templates_test

import (
	"strconv"

	"airtill/internal/picture"
	"airtill/internal/report"
	"airtill/web/locale"
	"airtill/web/templates"
)

// boss is the frame of somebody who runs all shops.
func boss(l locale.Locale, path string) templates.Frame {
	f := frame(l, path)
	f.Shop, f.Till, f.User = "", "", "Nora"
	f.May = templates.Permissions{Today: true, Sales: true, Reports: true, Reconcile: true, Admin: true}
	return f
}

func reportPages(l locale.Locale) []shown {
	f := boss(l, "/reports/sales")
	page := templates.ReportsPage{
		Frame: f, Title: "Sales", Self: "/reports/sales?by=provider",
		Reports: []templates.Link{{Text: "Sales", URL: "/reports/sales", Current: true}, {Text: "Margin", URL: "/reports/margin"}},
		Form: templates.ReportForm{
			Action: "/reports/sales", From: "2026-03-01", To: "2026-03-14",
			Lists: []templates.Pick{
				{Name: "by", Text: "By", Chosen: "provider", Choices: []templates.Choice{{Value: "day", Text: "Day"}, {Value: "provider", Text: "Provider"}}},
				{Name: "compare", Text: "Compare with", Chosen: "week", Choices: []templates.Choice{{Text: "Nothing"}, {Value: "week", Text: "The same weekdays before"}}},
				{Name: "shop", Text: "Shop", Choices: []templates.Choice{{Text: "All shops"}, {Value: "1", Text: hostile}}},
			},
			Picks:   []templates.Pick{{Name: "till", Text: "Till", Chosen: "1", Choices: []templates.Choice{{Text: "All"}, {Value: "1", Text: hostile}}}},
			Picked:  true,
			Filters: []templates.Filter{{Name: "country", Value: hostile, Text: "Country", Named: hostile, RemoveURL: "/reports/sales"}},
			Presets: []templates.Link{
				{Text: "Today", URL: "/reports/sales?from=2026-03-14", Current: true},
				{Text: "This month", URL: "/reports/sales?from=2026-03-14&by=day", Current: true}, // its first day
			},
		},
		Exports: []templates.Link{{Text: "CSV", URL: "/reports/sales.csv"}, {Text: "XLSX", URL: "/reports/sales.xlsx"}, {Text: "PDF", URL: "/reports/sales.pdf"}},
		Views:   []report.View{{ID: "1", Name: hostile, Path: "/reports/margin"}},
		Table: templates.ReportTable{
			First: "Provider", Columns: []string{"Sales", "Paid", "Change"},
			Rows: []templates.ReportLine{
				{Name: "Kora Mobile", URL: "/sales?provider=KONG", Cells: []templates.ReportCell{{Text: "1,204"}, {Text: l.Amount(euro("12040.50"))}, {Text: "+3.4%", Tone: "good"}}},
				{Name: hostile, URL: "/sales?provider=X", Cells: []templates.ReportCell{{Text: "12"}, {Text: l.Amount(euro("99.10"))}, {Text: "-12.0%", Tone: "bad"}}},
			},
			Totals: []templates.ReportLine{{Name: "Total", Cells: []templates.ReportCell{{Text: "1,216"}, {Text: l.Amount(euro("12139.60"))}, {Text: "–"}}}},
		},
		Picture: bars("Paid by Provider"),
	}
	columns, heat, refused, empty := page, page, page, page
	columns.Picture = picture.Picture{Kind: picture.Columns, Title: "Paid by Day", Total: "€1,204.50", Compared: true, Ticks: []string{"€0", "€500", "€1,000"}}
	for i := range 28 {
		columns.Picture.Points = append(columns.Picture.Points, picture.Point{Name: l.Date(noon.AddDate(0, 0, i)), Short: l.DayOfYear(noon.AddDate(0, 0, i)), Value: "€1", URL: "/sales", Size: 300 + i*i%700, Mark: 250 + i*17%600, Before: "€2"})
	}
	heat.Picture = picture.Picture{Kind: picture.Heat, Title: "Sales by hour", Hours: []string{"08:00", "09:00", "10:00"}}
	for i, day := range []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"} {
		heat.Picture.Lines = append(heat.Picture.Lines, picture.Line{Name: day, Cells: []picture.Cell{{Value: "0"}, {Value: "12", URL: "/sales?slot=9", Heat: i % 6}, {Value: "144", Heat: (i + 2) % 6}}})
	}
	refused.Problem, refused.Form.Field, refused.Form.From = "Enter the first day as a date like 2026-03-31.", "from", hostile
	empty.Table = templates.ReportTable{}
	busy := templates.TodayPage{Frame: boss(l, "/"), Day: noon, Hours: columns.Picture, Figures: []templates.Figure{{Name: "Sent", Value: "41", Note: "Sat before, by this time: 38", URL: "/sales", Large: true}, {Name: "Not sent", Value: "2"}}}
	quiet := busy
	busy.State = templates.Alert{Text: "A job failed. And 2 more.", URL: "/admin/health", Tone: "wait"}
	busy.Sellers = []templates.Seller{{Name: hostile, Till: "Main Street, Till 1", Since: "08:02", Sales: "23", Taken: "€230.00", URL: "/sales"}}
	busy.Technical = []templates.Figure{{Name: "Open differences", Value: "13", URL: "/reconcile", Tone: "wait"}}
	busy.Questions = []templates.Link{{Text: "Yesterday by cashier", URL: "/reports/cashiers"}}
	quiet.Hours, quiet.State = picture.Picture{}, templates.Alert{Text: "All is well.", Tone: "good"}
	return []shown{
		{name: "report", component: templates.Reports(page)},
		{name: "report-columns", component: templates.Reports(columns)},
		{name: "report-heat", component: templates.Reports(heat)},
		{name: "report-refused", component: templates.Reports(refused)},
		{name: "report-empty", component: templates.Reports(empty)},
		{name: "today-busy", component: templates.Today(busy)},
		{name: "today-quiet", component: templates.Today(quiet)},
	}
}

func bars(title string) picture.Picture {
	p := picture.Picture{Kind: picture.Bars, Title: title, Compared: true}
	for i := range 5 {
		p.Points = append(p.Points, picture.Point{Name: "Kora Mobile " + strconv.Itoa(i), Value: "€1,234.50", URL: "/sales?provider=KONG", Size: 1000 - i*180, Mark: 900 - i*100})
	}
	return p
}
