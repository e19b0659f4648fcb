package reports

import (
	"strings"
	"time"

	"airtill/internal/report"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// mostBars is how many rows are drawn; the table has them all.
const mostBars = 12

// picture draws the main figure of the report: over time as columns, by weekday
// and hour as a map, else as bars. Rows of one pair of currencies alone are
// drawn, those with the most sales: heights of two currencies say nothing.
func (t reportTable) picture(l locale.Locale) templates.Picture {
	main := t.ask.kind.columns[t.ask.kind.main]
	p := templates.Picture{
		Title:    l.Text("reports.picture", l.Text(main.name), strings.ToLower(dimensionName(l, t.ask.by))),
		Compared: t.compared(),
	}
	rows := t.drawn()
	if len(rows) > 0 && len(rows) < len(t.rows) && main.till {
		p.Title += " · " + string(rows[0].PriceCurrency)
	}
	if t.ask.by == report.BySlot {
		p.Kind, p.Heat = templates.PictureHeat, heatMap(l, rows, main)
		return p
	}
	if p.Kind = templates.PictureColumns; !t.ask.inTime() {
		p.Kind, rows = templates.PictureBars, rows[:min(len(rows), mostBars)]
	}
	var most int64
	for _, r := range rows {
		most = max(most, main.size(r.Row), main.size(r.before))
	}
	for _, r := range rows {
		point := templates.Point{
			Name: r.name, Value: main.of(r.Row).In(frame.WordsOf(l)), URL: r.url, Size: scaled(main.size(r.Row), most),
		}
		if t.compared() {
			point.Before, point.BeforeValue = scaled(main.size(r.before), most),
				main.of(beforeOf(r)).In(frame.WordsOf(l))
		}
		p.Points = append(p.Points, point)
	}
	return p
}

// scaled is a size on a picture whose largest is a thousand high.
func scaled(size, most int64) int {
	if size <= 0 || most <= 0 {
		return 0
	}
	return int(frame.PerMilleOf(size, most))
}

func (t reportTable) drawn() []reportRow {
	var first reportRow
	for _, total := range t.totals {
		if total.Sales > first.Sales || first.Sales == 0 {
			first = total
		}
	}
	var rows []reportRow
	for _, r := range t.rows {
		if r.PriceCurrency == first.PriceCurrency && r.SendCurrency == first.SendCurrency {
			rows = append(rows, r)
		}
	}
	return rows
}

// heatMap has a row for each weekday, Monday first, and a cell for each hour in
// which anything was ever sold on any of them.
func heatMap(l locale.Locale, rows []reportRow, main column) templates.Heat {
	var heat templates.Heat
	var most int64
	open := [24]bool{}
	found := map[int]reportRow{}
	for _, r := range rows {
		most, open[r.Slot%24], found[r.Slot] = max(most, main.size(r.Row)), true, r
	}
	first, last := 24, -1
	for hour, any := range open {
		if any {
			first, last = min(first, hour), hour
		}
	}
	for hour := first; hour <= last; hour++ {
		heat.Hours = append(heat.Hours, l.Time(time.Date(2026, 1, 1, hour, 0, 0, 0, l.Zone())))
	}
	for i := range 7 {
		weekday := (i + 1) % 7
		line := templates.HeatLine{Name: l.Weekday(time.Weekday(weekday))}
		for hour := first; hour <= last; hour++ {
			r := found[weekday*24+hour]
			line.Cells = append(line.Cells, templates.HeatCell{
				Value: main.of(r.Row).In(frame.WordsOf(l)), Heat: (scaled(main.size(r.Row), most) + 199) / 200,
			})
		}
		heat.Lines = append(heat.Lines, line)
	}
	return heat
}
