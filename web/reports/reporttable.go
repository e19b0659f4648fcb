package reports

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"airtill/internal/limit"

	"airtill/internal/catalog"
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/sheet"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// column is one figure of a report.
type column struct {
	name string
	cost bool // only for who may see costs
	of   func(report.Row) sheet.Cell
	size func(report.Row) int64 // what is drawn and sorted by
	sums []string               // the measures it is made of, none of drawers and stops
	till bool                   // an amount of the till's currency: rows of two cannot be put in order by it
}

func counted(name string, of func(report.Row) int64, sums ...string) column {
	return column{name: name, of: func(r report.Row) sheet.Cell { return sheet.Whole(of(r)) }, size: of, sums: sums}
}

func paid(name string, of func(report.Row) int64, sums ...string) column {
	amount := func(r report.Row) sheet.Cell { return sheet.Amount(money.Of(of(r), r.PriceCurrency)) }
	return column{name: name, of: amount, size: of, sums: sums, till: true}
}

func spent(name string, of func(report.Row) int64, sums ...string) column {
	return column{name: name, cost: true, of: func(r report.Row) sheet.Cell { return sheet.Amount(money.Of(of(r), r.SendCurrency)) }, size: of, sums: sums}
}

func costly(c column) column {
	c.cost = true
	return c
}

// rated is a part in thousandths; of nothing there is none.
func rated(name string, of func(report.Row) (int64, bool), sums ...string) column {
	size := func(r report.Row) int64 { n, _ := of(r); return n }
	return column{name: name, size: size, sums: sums, of: func(r report.Row) sheet.Cell {
		if n, ok := of(r); ok {
			return sheet.Share(n)
		}
		return sheet.Text("")
	}}
}

var (
	colSales      = counted("reports.col.sales", func(r report.Row) int64 { return r.Sales }, "sales")
	colComplete   = counted("reports.col.complete", func(r report.Row) int64 { return r.Complete }, "complete")
	colFailed     = counted("reports.col.failed", func(r report.Row) int64 { return r.Failed }, "failed")
	colSuccess    = rated("reports.col.success", func(r report.Row) (int64, bool) { return r.SuccessPerMille() }, "complete", "failed")
	colOutcome    = counted("reports.col.outcome", func(r report.Row) int64 { n, _ := r.OutcomeMillis(); return n }, "outcome_ms", "complete", "failed")
	colPaid       = paid("reports.col.paid", func(r report.Row) int64 { return r.PriceMicros }, "price_micros")
	colRefunded   = paid("reports.col.refunded", func(r report.Row) int64 { return r.RefundedMicros }, "refunded_micros")
	colDue        = paid("reports.col.due", func(r report.Row) int64 { return r.DueMicros }, "due_micros")
	colMarkUp     = costly(paid("reports.col.markUp", func(r report.Row) int64 { return r.MarkUpMicros }, "mark_up_micros"))
	colMargin     = costly(paid("reports.col.margin", func(r report.Row) int64 { return r.MarginMicros }, "margin_micros"))
	colSent       = spent("reports.col.sent", func(r report.Row) int64 { return r.SendMicros }, "send_micros")
	colUsed       = spent("statement.float", func(r report.Row) int64 { return r.SendMicros + r.DistMicros - r.CommissionMicros }, "send_micros", "dist_micros", "commission_micros")
	colCommission = spent("reports.col.commission", func(r report.Row) int64 { return r.CommissionMicros }, "commission_micros")
	colExpected   = spent("reports.col.expected", func(r report.Row) int64 { return r.ExpectedMicros }, "expected_micros")
	colShortfall  = spent("reports.col.shortfall", func(r report.Row) int64 { return r.CommissionMicros - r.ExpectedMicros }, "commission_micros", "expected_micros")
	colFees       = spent("reports.col.fees", func(r report.Row) int64 { return r.DistMicros }, "dist_micros")
)

// Of shifts and of what limits stopped.
var (
	colShifts       = counted("reports.col.shifts", func(r report.Row) int64 { return r.Drawer.Shifts })
	colOpening      = paid("reports.col.opening", func(r report.Row) int64 { return r.Drawer.OpeningMicros })
	colTaken        = paid("reports.col.taken", func(r report.Row) int64 { return r.Drawer.TakenMicros() })
	colPaidIn       = paid("reports.col.paidIn", func(r report.Row) int64 { return r.Drawer.PaidInMicros })
	colDropped      = paid("reports.col.dropped", func(r report.Row) int64 { return r.Drawer.DroppedMicros })
	colExpenses     = paid("reports.col.expenses", func(r report.Row) int64 { return r.Drawer.ExpenseMicros })
	colExpectedCash = paid("reports.col.expectedCash", func(r report.Row) int64 { return r.Drawer.ExpectedMicros })
	colCounted      = paid("reports.col.counted", func(r report.Row) int64 { return r.Drawer.CountedMicros })
	colDifference   = paid("reports.col.difference", func(r report.Row) int64 { return r.Drawer.DifferenceMicros() })
	colOff          = counted("reports.col.off", func(r report.Row) int64 { return r.Drawer.Off })
	colStopped      = counted("reports.col.stopped", func(r report.Row) int64 { return r.Stop.Stopped })
	colAllowed      = counted("reports.col.allowed", func(r report.Row) int64 { return r.Stop.Allowed })
	colHeld         = paid("reports.col.held", func(r report.Row) int64 { return r.Stop.HeldMicros })
)

// reportTable is a report's rows, in order, with their names.
type reportTable struct {
	ask    ask
	rows   []reportRow
	others []reportRow // what is not listed, one for each pair of currencies
	count  int         // of all rows
	totals []reportRow // one for each pair of currencies
}

// mostListed is how many rows a page lists by itself: a catalogue has thousands of
// products, and who reads a list looks at the largest.
const mostListed = 100

type reportRow struct {
	report.Row
	before report.Row // of the comparison
	name   string
	url    string
}

// table puts the rows in order: by time as it goes, else the largest first, currency by
// currency, and of those as many as are listed of each.
func (a ask) table(l locale.Locale, found figures) reportTable {
	rows := a.inOrder(found.rows)
	t := reportTable{ask: a, count: len(rows), totals: totalsOf(l.Text("reports.total"), found.rows, found.before)}
	earlier := a.aligned(found.before)
	if !a.all && !a.inTime() && a.by != report.BySlot {
		var listed, rest, before []report.Row
		of := map[money.Currency]int{}
		for _, row := range rows {
			currency := a.comparable(row)
			if of[currency]++; of[currency] <= mostListed {
				listed = append(listed, row)
			} else {
				rest, before = append(rest, row), append(before, beforeOf(reportRow{Row: row, before: earlier(row)}))
			}
		}
		rows, t.others = listed, totalsOf(l.Text("reports.others", l.Number(int64(len(rest)))), rest, before)
	}
	for _, row := range rows {
		t.rows = append(t.rows, reportRow{Row: row, before: earlier(row), name: a.nameOf(l, row, found.names), url: a.salesURL(row)})
	}
	t.tellApart()
	return t
}

// tellApart adds the code to reasons that read the same: different codes may mean one
// thing to a customer, and their rows are not one.
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

// comparable is the currency within which rows can be put in order and cut, "" where the
// main figure is no money of the tills.
func (a ask) comparable(r report.Row) money.Currency {
	if !a.kind.columns[a.kind.main].till {
		return ""
	}
	return r.PriceCurrency
}

// inOrder puts the currency of most sales first: 9,000 of one are not more than 8 of
// another, and no rate of today says what they were worth then.
func (a ask) inOrder(rows []report.Row) []report.Row {
	main := a.kind.columns[a.kind.main].size
	sold := map[money.Currency]int64{}
	for _, r := range rows {
		sold[a.comparable(r)] += r.Sales
	}
	slices.SortFunc(rows, func(x, y report.Row) int {
		if a.inTime() || a.by == report.BySlot {
			return cmp.Or(cmp.Compare(x.Day, y.Day), cmp.Compare(weekSlot(x.Slot), weekSlot(y.Slot)), strings.Compare(string(x.PriceCurrency), string(y.PriceCurrency)))
		}
		in, other := a.comparable(x), a.comparable(y)
		return cmp.Or(cmp.Compare(sold[other], sold[in]), strings.Compare(string(in), string(other)),
			cmp.Compare(main(y), main(x)), strings.Compare(valueOf(x), valueOf(y)))
	})
	return rows
}

// inTime says whether the rows follow each other in time.
func (a ask) inTime() bool {
	return a.by == report.ByDay || a.by == report.ByWeek || a.by == report.ByMonth
}

// weekSlot puts Monday first.
func weekSlot(slot int) int { return (slot + 6*24) % (7 * 24) }

// valueOf is what a row is the sum of.
func valueOf(r report.Row) string {
	return r.ShopID + r.Country + r.Provider + r.Kind + r.SKU + r.TillID + r.CashierID + r.Reason + r.Rule
}

// aligned finds the row that another is compared with: of the same value, or as
// many days after the beginning of its period.
func (a ask) aligned(before []report.Row) func(report.Row) report.Row {
	type place struct {
		value       string
		slot        int
		price, send money.Currency
		day         report.Day
	}
	from, _, _ := a.comparison()
	shift := func(d report.Day) report.Day {
		switch {
		case d == 0:
			return 0
		case a.by == report.ByMonth && a.compare == compareYear:
			return d.Years(1)
		}
		return d - from + a.from
	}
	found := map[place]report.Row{}
	for _, r := range before {
		found[place{valueOf(r), r.Slot, r.PriceCurrency, r.SendCurrency, shift(r.Day)}] = r
	}
	return func(r report.Row) report.Row {
		return found[place{valueOf(r), r.Slot, r.PriceCurrency, r.SendCurrency, r.Day}]
	}
}

// totalsOf sums rows, and those that they are compared with.
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

// nameOf writes what a row is the sum of.
func (a ask) nameOf(l locale.Locale, r report.Row, n frame.ReportNames) string {
	switch a.by {
	case report.ByDay:
		return l.Date(frame.NoonOf(r.Day))
	case report.ByWeek:
		return l.Date(frame.NoonOf(r.Day))
	case report.ByMonth:
		return l.Month(frame.NoonOf(r.Day))
	case report.ByRule:
		return ruleName(l, r.Rule)
	case report.BySlot:
		return l.Weekday(time.Weekday(r.Slot/24)) + " " + l.Time(time.Date(2026, 1, 1, r.Slot%24, 0, 0, 0, l.Zone()))
	case report.ByShop:
		return cmp.Or(n.Shops[r.ShopID], r.ShopID)
	case report.ByTill:
		return cmp.Or(n.Tills[r.TillID], r.TillID)
	case report.ByCashier:
		return cmp.Or(n.People[r.CashierID], r.CashierID)
	case report.ByCountry:
		return cmp.Or(n.Countries[r.Country], r.Country)
	case report.ByProvider:
		return cmp.Or(n.Sold.Providers[r.Provider], r.Provider)
	case report.ByProduct:
		return cmp.Or(n.Sold.Products[r.SKU], r.SKU) + " (" + r.SKU + ")"
	case report.ByKind:
		return templates.KindName(l, frame.KindNames[catalog.Kind(r.Kind)])
	case report.ByReason:
		code, detail, _ := strings.Cut(r.Reason, "/")
		why, _ := frame.ReasonOf(l, sales.Sale{ReasonCode: code, ReasonContext: detail, ProviderName: strings.ToLower(l.Text("reports.provider"))})
		return cmp.Or(sentence(why), l.Text("reason.tooLate"))
	}
	return ""
}

// sentence begins with a capital, whatever marks stand before it.
func sentence(text string) string {
	first := strings.IndexFunc(text, unicode.IsLetter)
	if first < 0 {
		return text
	}
	letter, size := utf8.DecodeRuneInString(text[first:])
	return text[:first] + string(unicode.ToUpper(letter)) + text[first+size:]
}

// dimensionNames are the keys of what a report is grouped by.
var dimensionNames = map[report.Dimension]string{
	report.ByDay: "reports.by.day", report.ByMonth: "reports.by.month", report.BySlot: "reports.by.slot", report.ByShop: "reports.by.shop",
	report.ByTill: "reports.by.till", report.ByCashier: "reports.by.cashier", report.ByCountry: "reports.by.country", report.ByProvider: "reports.by.provider",
	report.ByKind: "reports.by.kind", report.ByProduct: "reports.by.product", report.ByReason: "reports.by.reason",
	report.ByWeek: "reports.by.week", report.ByRule: "reports.by.rule",
}

func dimensionName(l locale.Locale, d report.Dimension) string { return l.Text(dimensionNames[d]) }

// ruleName is what a limit is called.
func ruleName(l locale.Locale, rule string) string {
	subject, rest, _ := strings.Cut(rule, "/")
	period, measure, _ := strings.Cut(rest, "/")
	return frame.LimitName(l, limit.Kind{Subject: limit.Subject(subject), Period: limit.Period(period), Measure: limit.Measure(measure)})
}

// salesURL leads to the sales, or the shifts, that a row sums; "" where no list
// shows them: what a limit stopped is no sale.
func (a ask) salesURL(r report.Row) string {
	if a.kind.Source == ofStops {
		return ""
	}
	values := a.period()
	if r.PriceCurrency != "" {
		values.Set("currency", string(r.PriceCurrency))
	}
	for dimension, value := range a.only {
		values.Set(string(dimension), value)
	}
	if a.kind.Name == reportFailures || a.only[report.ByReason] != "" {
		values.Set("state", "failed")
	}
	switch a.by {
	case report.ByDay:
		values.Set("from", r.Day.String())
		values.Set("to", r.Day.String())
	case report.ByMonth:
		values.Set("from", max(r.Day, a.from).String())
		values.Set("to", (min(r.Day.NextMonth(), a.to) - 1).String())
	case report.BySlot:
		if a.to-a.from > frame.MostSlotDays {
			return ""
		}
		values.Set("slot", strconv.Itoa(r.Slot))
	case report.ByReason:
		values.Set("reason", cmp.Or(r.Reason, sales.NoReason))
		values.Set("state", "failed")
	default:
		values.Set(string(a.by), valueOf(r))
	}
	if a.kind.Source == OfDrawers {
		return "/shifts?" + values.Encode()
	}
	return "/sales?" + values.Encode()
}

// compared says whether there is a comparison to show.
func (t reportTable) compared() bool { return t.ask.compare != "" }

// sheet is the table as a file has it: every figure typed, the currencies in
// columns of their own.
func (t reportTable) sheet(l locale.Locale) sheet.Table {
	columns := t.ask.kind.columns
	out := sheet.Table{Title: t.ask.kind.title(l), Columns: []sheet.Column{{Name: dimensionName(l, t.ask.by), Wide: 3}, {Name: l.Text("reports.col.currency")}}}
	for _, c := range columns {
		out.Columns = append(out.Columns, sheet.Column{Name: l.Text(c.name), End: true, Wide: 2})
	}
	if t.compared() {
		out.Columns = append(out.Columns, sheet.Column{Name: l.Text("reports.col.before"), End: true, Wide: 2})
	}
	var rows [][]sheet.Cell
	for _, r := range t.rows {
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
		rows = append(rows, row)
	}
	out.Rows = sheet.From(rows)
	return out
}

// beforeOf is the row compared with, in the currencies of the other where there
// is none.
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
			row.Cells = append(row.Cells, templates.ReportCell{Text: main.of(beforeOf(r)).In(w)}, change(l, main.size(r.Row), main.size(r.before)))
		}
		return row
	}
	for _, r := range slices.Concat(t.rows, t.others) {
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

// change is how much more one figure is than another, as a percentage with a
// sign.
func change(l locale.Locale, now, before int64) templates.ReportCell {
	if before <= 0 {
		return templates.ReportCell{Text: "–"}
	}
	perMille := frame.PerMilleOf(now-before, before)
	switch {
	case perMille > 0:
		return templates.ReportCell{Text: "+" + l.Share(perMille), Tone: "good"}
	case perMille < 0:
		return templates.ReportCell{Text: l.Share(perMille), Tone: "bad"}
	}
	return templates.ReportCell{Text: l.Share(0)}
}
