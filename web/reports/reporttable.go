package reports

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"airtill/internal/money"
	"airtill/internal/picture"
	"airtill/internal/report"
	"airtill/internal/sheet"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// reportTable is a report's rows, sorted and named.
type reportTable struct {
	ask    ask
	rows   []reportRow
	before []report.Row // all rows of the comparison
	others []reportRow  // the rest, one for each pair of currencies
	count  int          // of all rows
	totals []reportRow  // one for each pair of currencies
}

// mostListed is how many rows a page lists by itself: a catalogue has thousands of products, and people look
// at the largest.
const mostListed = 100

type reportRow struct {
	report.Row
	before report.Row // of the comparison
	name   string
	url    string
}

// table sorts the rows, by time or else the largest first within each currency, and cuts them to as many as
// are listed.
func (a ask) table(l locale.Locale, found figures) reportTable {
	rows := a.inOrder(found.rows)
	t := reportTable{
		ask: a, before: found.before, count: len(rows),
		totals: totalsOf(l.Text("reports.total"), found.rows, found.before),
	}
	earlier := a.aligned(found.before)
	if !a.all && !a.inTime() && a.by != report.BySlot {
		var listed, rest, before []report.Row
		rowsIn := map[money.Currency]int{}
		for _, row := range rows {
			currency := a.comparable(row)
			if rowsIn[currency]++; rowsIn[currency] <= mostListed {
				listed = append(listed, row)
			} else {
				rest, before = append(rest, row), append(before, beforeOf(reportRow{Row: row, before: earlier(row)}))
			}
		}
		rows, t.others = listed, totalsOf(l.Text("reports.others", l.Number(int64(len(rest)))), rest, before)
	}
	for _, row := range rows {
		t.rows = append(t.rows, reportRow{
			Row: row, before: earlier(row), name: a.nameOf(l, row, found.names), url: a.salesURL(row),
		})
	}
	t.tellApart()
	return t
}

// tellApart adds the code to reasons that read the same: to a customer different codes may mean one thing, but
// they are separate rows.
func (t reportTable) tellApart() {
	read := map[string]string{}
	twice := map[string]bool{}
	for _, r := range t.rows {
		if other, seen := read[r.name]; seen && other != r.Reason {
			twice[r.name] = true
		}
		read[r.name] = r.Reason
	}
	for i, r := range t.rows {
		if twice[r.name] {
			t.rows[i].name += " (" + r.Reason + ")"
		}
	}
}

// comparable is the currency within which rows can be sorted and cut, "" if the main figure is not an amount
// in the tills' currency.
func (a ask) comparable(r report.Row) money.Currency {
	if !a.kind.columns[a.kind.main].till {
		return ""
	}
	return r.PriceCurrency
}

// weight is how many sales, shifts or stops a row sums.
func weight(r report.Row) int64 { return r.Sales + r.Drawer.Shifts + r.Stop.Stopped }

// inOrder puts the currency that most is counted in first: 9,000 of one are not more than 8 of another, and
// today's rates do not tell what they were worth then.
func (a ask) inOrder(rows []report.Row) []report.Row {
	main := a.kind.columns[a.kind.main].size
	most := map[money.Currency]int64{}
	for _, r := range rows {
		most[a.comparable(r)] += weight(r)
	}
	slices.SortFunc(rows, func(x, y report.Row) int {
		if a.inTime() || a.by == report.BySlot {
			return cmp.Or(
				cmp.Compare(x.Day, y.Day), cmp.Compare(weekSlot(x.Slot), weekSlot(y.Slot)),
				strings.Compare(string(x.PriceCurrency), string(y.PriceCurrency)),
			)
		}
		in, other := a.comparable(x), a.comparable(y)
		return cmp.Or(cmp.Compare(most[other], most[in]), strings.Compare(string(in), string(other)),
			cmp.Compare(main(y), main(x)), strings.Compare(valueOf(x), valueOf(y)))
	})
	return rows
}

// inTime says whether the rows are a sequence in time.
func (a ask) inTime() bool {
	return a.by == report.ByDay || a.by == report.ByWeek || a.by == report.ByMonth
}

// totalsOf sums rows and the rows they are compared with.
func totalsOf(name string, rows, before []report.Row) []reportRow {
	var totals []reportRow
	in := func(r report.Row) *reportRow {
		for i := range totals {
			if totals[i].PriceCurrency == r.PriceCurrency && totals[i].SendCurrency == r.SendCurrency {
				return &totals[i]
			}
		}
		row := report.Row{PriceCurrency: r.PriceCurrency, SendCurrency: r.SendCurrency}
		totals = append(totals, reportRow{Row: row, before: row, name: name})
		return &totals[len(totals)-1]
	}
	for _, r := range rows {
		in(r).Join(r)
	}
	for _, r := range before {
		in(r).before.Join(r)
	}
	return totals
}

// compared says whether there is a comparison to show.
func (t reportTable) compared() bool { return t.ask.compare != "" }

// sheet is the table for a file: typed figures, with currencies in columns of their own.
func (t reportTable) sheet(l locale.Locale) sheet.Table {
	columns := t.ask.kind.columns
	out := sheet.Table{
		Title:   t.ask.kind.title(l),
		Columns: []sheet.Column{{Name: dimensionName(l, t.ask.by), Wide: 3}, {Name: l.Text("reports.col.currency")}},
	}
	for _, c := range columns {
		out.Columns = append(out.Columns, sheet.Column{Name: l.Text(c.name), End: true, Wide: 2})
	}
	if t.compared() {
		out.Columns = append(out.Columns, sheet.Column{Name: l.Text("reports.col.before"), End: true, Wide: 2})
	}
	line := func(r reportRow) []sheet.Cell {
		currency := string(r.PriceCurrency)
		if r.SendCurrency != r.PriceCurrency {
			currency += "/" + string(r.SendCurrency)
		}
		row := []sheet.Cell{sheet.Text(r.name), sheet.Text(currency)}
		for _, c := range columns {
			row = append(row, c.of(r.Row))
		}
		if t.compared() {
			row = append(row, columns[t.ask.kind.main].of(beforeOf(r)))
		}
		return row
	}
	var rows [][]sheet.Cell
	for _, r := range t.rows {
		rows = append(rows, line(r))
	}
	for _, r := range t.totals {
		out.Totals = append(out.Totals, line(r))
	}
	out.Rows, out.Picture = sheet.From(rows), t.picture(l)
	return out
}

// beforeOf is the row of the comparison, or an empty one in the same currencies.
func beforeOf(r reportRow) report.Row {
	r.before.PriceCurrency, r.before.SendCurrency = r.PriceCurrency, r.SendCurrency
	return r.before
}

// page is the table as the screen shows it.
func (t reportTable) page(l locale.Locale) templates.ReportTable {
	columns, w := t.ask.kind.columns, frame.WordsOf(l)
	out := templates.ReportTable{First: dimensionName(l, t.ask.by)}
	for _, c := range columns {
		out.Columns = append(out.Columns, l.Text(c.name))
	}
	main := columns[t.ask.kind.main]
	if t.compared() {
		out.Columns = append(out.Columns, l.Text("reports.col.before"), l.Text("reports.col.change"))
	}
	line := func(r reportRow) templates.ReportLine {
		row := templates.ReportLine{Name: r.name, URL: r.url}
		for _, c := range columns {
			row.Cells = append(row.Cells, templates.ReportCell{Text: c.of(r.Row).In(w)})
		}
		if t.compared() {
			row.Cells = append(
				row.Cells, templates.ReportCell{Text: main.of(beforeOf(r)).In(w)},
				main.change(l, r),
			)
		}
		return row
	}
	rows := slices.Concat(t.rows, t.others)
	if t.ask.by == report.BySlot { // the picture has the hours
		out.First, rows = l.Text("reports.weekday"), t.weekdays(l)
	}
	for _, r := range rows {
		out.Rows = append(out.Rows, line(r))
	}
	if len(t.others) > 0 {
		whole := t.ask
		whole.all = true
		out.More = &templates.Link{Text: l.Text("reports.showAll", l.Number(int64(t.count))), URL: whole.url("")}
	}
	for _, r := range t.totals {
		out.Totals = append(out.Totals, line(r))
	}
	return out
}

// weekdays sums the hours of each weekday, Monday first, by currency.
func (t reportTable) weekdays(l locale.Locale) (days []reportRow) {
	for i := range 7 {
		weekday := (i + 1) % 7
		var rows, before []report.Row
		for _, r := range t.rows {
			if r.Slot/24 == weekday {
				rows = append(rows, r.Row)
			}
		}
		for _, r := range t.before { // in other hours, too
			if r.Slot/24 == weekday {
				before = append(before, r)
			}
		}
		days = append(days, totalsOf(l.Weekday(time.Weekday(weekday)), rows, before)...)
	}
	return days
}

// change is the difference of a row's figure and the one it is compared with, as a percentage with a sign.
func (c column) change(l locale.Locale, r reportRow) templates.ReportCell {
	now, before := c.size(r.Row), c.size(r.before)
	if before <= 0 {
		return templates.ReportCell{Text: "–"}
	}
	more, less := frame.ToneGood, frame.ToneBad
	if c.bad {
		more, less = less, more
	}
	perMille := picture.PerMille(now-before, before)
	switch {
	case perMille > 0:
		return templates.ReportCell{Text: "+" + l.Share(perMille), Tone: more}
	case perMille < 0:
		return templates.ReportCell{Text: l.Share(perMille), Tone: less}
	}
	return templates.ReportCell{Text: l.Share(0)}
}
