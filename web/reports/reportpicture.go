package reports

import (
	"strings"
	"time"

	"airtill/internal/money"
	"airtill/internal/picture"
	"airtill/internal/report"
	"airtill/web/frame"
	"airtill/web/locale"
)

// mostBars is how many rows are drawn; the table has them all.
const mostBars = 12

// picture draws the report's main figure: over time as columns, by weekday and hour as a map, otherwise as
// bars. Only rows of the pair of currencies that most is counted in are drawn: heights in two currencies would
// mean nothing.
func (t reportTable) picture(l locale.Locale) picture.Picture {
	main := t.ask.kind.columns[t.ask.kind.main]
	total := t.weightiest()
	p := picture.Picture{
		Kind: picture.Columns, Compared: t.compared(), Total: main.of(total.Row).In(frame.WordsOf(l)),
		Title: l.Text("reports.picture", l.Text(main.name), strings.ToLower(dimensionName(l, t.ask.by))),
	}
	rows := t.drawn(total)
	if len(rows) > 0 && len(rows) < len(t.rows) && main.till {
		p.Title += " · " + string(total.PriceCurrency)
	}
	if t.ask.by == report.BySlot {
		heatMap(&p, l, rows, main)
		return p
	}
	var most int64
	var sizes []int64
	for _, r := range rows {
		sizes = append(sizes, main.size(r.Row), main.size(r.before))
		most = max(most, main.size(r.Row), main.size(r.before))
	}
	height := func(n int64) int { return int(picture.PerMille(max(n, 0), most)) }
	if !t.ask.inTime() {
		p.Kind, rows = picture.Bars, rows[:min(len(rows), mostBars)]
	} else {
		height = t.over(&p, l, main, total, sizes).At
	}
	for _, r := range rows {
		point := picture.Point{
			Name: r.name, Short: t.ask.shortName(l, r.Row), Value: main.of(r.Row).In(frame.WordsOf(l)), URL: r.url,
			Size: height(main.size(r.Row)),
		}
		if t.compared() {
			point.Mark, point.Before = height(main.size(r.before)), main.of(beforeOf(r)).In(frame.WordsOf(l))
		}
		p.Points = append(p.Points, point)
	}
	return p
}

// over puts columns over the scale of their figures.
func (t reportTable) over(
	p *picture.Picture, l locale.Locale, main column, total reportRow, sizes []int64,
) picture.Scale {
	switch {
	case main.till:
		return overAmounts(p, l, total.PriceCurrency, sizes)
	case main.cost:
		return overAmounts(p, l, total.SendCurrency, sizes)
	}
	return over(p, 1, sizes, l.Number)
}

// overAmounts puts amounts over a scale whose steps are at least a coin.
func overAmounts(p *picture.Picture, l locale.Locale, in money.Currency, sizes []int64) picture.Scale {
	return over(p, in.Coin(), sizes, func(micros int64) string { return l.ShortAmount(money.Of(micros, in)) })
}

func over(p *picture.Picture, least int64, sizes []int64, written func(int64) string) picture.Scale {
	scale := picture.ScaleOf(least, sizes...)
	for _, tick := range scale.Ticks() {
		p.Ticks = append(p.Ticks, written(tick))
	}
	p.Zero = scale.At(0)
	return scale
}

// shortName is the text below a column.
func (a ask) shortName(l locale.Locale, r report.Row) string {
	if a.by == report.ByMonth {
		return l.Month(frame.NoonOf(l, r.Day))
	}
	return l.DayOfYear(frame.NoonOf(l, r.Day))
}

// weightiest is the total of the currencies that most is counted in.
func (t reportTable) weightiest() (most reportRow) {
	for i, total := range t.totals {
		if i == 0 || weight(total.Row) > weight(most.Row) {
			most = total
		}
	}
	return most
}

func (t reportTable) drawn(total reportRow) []reportRow {
	var rows []reportRow
	for _, r := range t.rows {
		if r.PriceCurrency == total.PriceCurrency && r.SendCurrency == total.SendCurrency {
			rows = append(rows, r)
		}
	}
	return rows
}

// heatMap has a row for each weekday, Monday first, and a cell for each hour from the first to the last in
// which anything was ever sold. A cell leads to its sales.
func heatMap(p *picture.Picture, l locale.Locale, rows []reportRow, main column) {
	var most int64
	first, last := 24, -1
	found := map[int]reportRow{}
	for _, r := range rows {
		most, found[r.Slot] = max(most, main.size(r.Row)), r
		first, last = min(first, r.Slot%24), max(last, r.Slot%24)
	}
	p.Kind = picture.Heat
	for hour := first; hour <= last; hour++ {
		p.Hours = append(p.Hours, hourName(l, hour))
	}
	for i := range 7 {
		weekday := (i + 1) % 7
		line := picture.Line{Name: l.Weekday(time.Weekday(weekday))}
		for hour := first; hour <= last; hour++ {
			r := found[weekday*24+hour]
			cell := picture.Cell{Value: main.of(r.Row).In(frame.WordsOf(l))}
			if cell.Heat = int(picture.PerMille(main.size(r.Row), most)+199) / 200; cell.Heat > 0 {
				cell.URL = r.url
			}
			line.Cells = append(line.Cells, cell)
		}
		p.Lines = append(p.Lines, line)
	}
}
