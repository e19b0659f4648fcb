package reports

import (
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/harness/demodata"
	"airtill/internal/harness/demodata/demotest"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
)

// trading is the reports of some shops, with as much trade as fills each column.
func trading(t *testing.T) (*Screens, []staff.Shop) {
	t.Helper()
	db, log := storetest.New(t), slog.New(slog.DiscardHandler)
	people := demotest.Staff(t, db)
	g, err := demodata.New(
		demodata.Deps{DB: db, Staff: people, Now: demotest.Clock, Log: log}, demodata.Plan{Sales: 600, Days: 30, Shops: 2, Seed: 2},
	)
	require.NoError(t, err)
	require.NoError(t, g.Generate(t.Context()))
	sums := report.New(report.Deps{DB: db, Now: demotest.Clock})
	require.NoError(t, sums.Refresh(t.Context()))
	shops, err := people.Shops(t.Context())
	require.NoError(t, err)
	return &Screens{Server: &frame.Server{D: frame.Deps{Report: sums, Now: demotest.Clock}}}, shops
}

// TestNoTwoReasonsReadTheSame: a reader could not tell their rows apart.
func TestNoTwoReasonsReadTheSame(t *testing.T) {
	t.Parallel()
	for _, tag := range locale.Languages() {
		l, a, seen := locale.New(language.MustParse(tag.Tag), nil), ask{kind: Kinds()[4], by: report.ByReason}, map[string]string{}
		for _, reason := range []string{
			"", "TransientProviderError/ProviderTimedOut", "TransientProviderError/ProviderTemporarilyUnavailable", "TransientProviderError/AccountTemporarilyUnavailable", "TransientProviderError/ProviderRefusedRequest",
			"AccountNumberInvalid/AccountNumberFailedRegex", "AccountNumberInvalid/ProviderRefusedRequest", "RechargeNotAllowed/RechargeNotAllowed", "RateLimited",
		} {
			name := a.nameOf(l, report.Row{Reason: reason}, frame.ReportNames{})
			require.Empty(t, seen[name], "%s and %s: %s", seen[name], reason, name)
			seen[name] = reason + " "
		}
		refused := func(reason string) report.Row { return report.Row{Reason: reason, PriceCurrency: "EUR"} }
		rows := a.table(l, figures{rows: []report.Row{refused("ProviderError/ProviderUnknownError"), refused("TransientProviderError/ProviderRefusedRequest"), refused("RateLimited")}}).rows
		require.Len(t, rows, 3)
		for _, r := range rows {
			require.Equal(t, r.Reason != "RateLimited", strings.Contains(r.name, "("+r.Reason+")"), "%s: %s", tag.Tag, r.name)
		}
		for name := range seen {
			require.NotRegexp(t, `^\P{L}*\p{Ll}`, name, "the beginning of a sentence")
		}
		require.NotRegexp(t, `\S (The|El|L’)`, strings.Join(slices.Collect(maps.Keys(seen)), "\n"), "in the middle of a sentence")
	}
}

// TestAReportSumsAllThatItShows: it asks for no other sums than its columns need, and
// shows what it would if it had asked for all.
func TestAReportSumsAllThatItShows(t *testing.T) {
	t.Parallel()
	s, shops := trading(t)
	l, today := locale.New(language.English, time.UTC), report.DayOf(s.D.Now(), time.UTC)
	filled := map[string]bool{}
	for _, kind := range Kinds() {
		if kind.Of != report.OfSales {
			continue
		}
		a := ask{kind: kind, by: kind.By[0], from: today - 40, to: today + 1, shops: shops}
		narrow := a.query(a.from, a.to)
		whole := narrow
		whole.Sums = nil
		rows, err := s.D.Report.Sums(t.Context(), narrow)
		require.NoError(t, err)
		all, err := s.D.Report.Sums(t.Context(), whole)
		require.NoError(t, err)
		shown := a.table(l, figures{rows: rows}).page(l)
		require.Equal(t, a.table(l, figures{rows: all}).page(l), shown, kind.Name)
		require.Less(t, len(narrow.Sums), 10, "what nobody looks at is not summed")
		for _, row := range shown.Rows {
			for i, cell := range row.Cells {
				if strings.ContainsAny(cell.Text, "123456789") {
					filled[kind.Name+" "+kind.columns[i].name] = true
				}
			}
		}
		for _, c := range kind.columns {
			none := c.name == colFees.name || c.name == colDue.name // invented trade has neither
			require.True(t, none || filled[kind.Name+" "+c.name], "%s: nothing is compared in %s", kind.Name, c.name)
		}
	}
}

// TestALongListIsTheLargestAndTheOthers: nothing is left out of the sums, and all of it
// is an address and a file away.
func TestALongListIsTheLargestAndTheOthers(t *testing.T) {
	t.Parallel()
	l := locale.New(language.English, nil)
	a := ask{kind: Kinds()[2], by: report.ByProduct, compare: compareBefore, from: 20_000, to: 20_028}
	var found figures
	for i := range int64(2 * (mostListed + 30)) {
		row := report.Row{SKU: "SKU" + strconv.FormatInt(i, 10), PriceCurrency: "EUR", SendCurrency: "EUR", Measures: report.Measures{Complete: 1, PriceMicros: (i + 1) * 1_000_000}}
		if i%2 == 1 { // fewer sales, larger numbers
			row.PriceCurrency, row.PriceMicros = "NGN", row.PriceMicros*1700
		} else {
			row.Sales = 1
		}
		found.rows = append(found.rows, row)
		if i < 10 {
			row.PriceMicros *= 3
			found.before = append(found.before, row)
		}
	}
	short := a.table(l, found)
	require.Len(t, short.rows, 2*mostListed, "so many of each currency")
	require.Equal(t, "SKU258 (SKU258)", short.rows[0].name)
	for i, r := range short.rows {
		require.Equal(t, i < mostListed, r.PriceCurrency == "EUR", "the currency of most sales, then the other")
		if i%mostListed > 0 {
			require.Less(t, r.PriceMicros, short.rows[i-1].PriceMicros)
		}
	}
	picture := short.picture(l)
	require.Equal(t, "Paid by product · EUR", picture.Title)
	require.Equal(t, 1000*257/259, picture.Points[1].Size, "bars are as long as their part of the longest of one currency")
	require.Len(t, short.others, 2, "one of each currency")
	for i, rest := range short.others {
		sum, before := rest.PriceMicros, rest.before.PriceMicros
		for _, r := range short.rows {
			if r.PriceCurrency == rest.PriceCurrency {
				sum, before = sum+r.PriceMicros, before+r.before.PriceMicros
			}
		}
		require.Equal(t, []int64{short.totals[i].PriceMicros, short.totals[i].before.PriceMicros}, []int64{sum, before}, rest.PriceCurrency)
		require.Positive(t, rest.before.PriceMicros)
	}
	page := short.page(l)
	require.Len(t, page.Rows, 2*mostListed+2)
	require.Equal(t, "Others (60)", page.Rows[2*mostListed].Name)
	require.Equal(t, "Show all 260 rows", page.More.Text)

	address, err := url.Parse(page.More.URL)
	require.NoError(t, err)
	s := &Screens{Server: &frame.Server{D: frame.Deps{Now: demotest.Clock}}}
	whole, err := s.askOf(a.kind, address.Query(), nil, time.UTC, true)
	require.NoError(t, err)
	all := whole.table(l, found)
	require.Len(t, all.rows, 2*(mostListed+30))
	require.Empty(t, all.others)
	require.Nil(t, all.page(l).More)
	filed := 0
	for _, err := range s.reportSheet(a, found, l).Rows {
		require.NoError(t, err)
		filed++
	}
	require.Equal(t, 2*(mostListed+30), filed)
	a.by = report.ByDay
	require.Len(t, a.table(l, found).rows, 2*(mostListed+30), "time is not cut")
}

// TestAWeekdayIsComparedWithAllOfItsHours, those too in which nothing was sold this time.
func TestAWeekdayIsComparedWithAllOfItsHours(t *testing.T) {
	t.Parallel()
	l := locale.New(language.English, nil)
	at := func(weekday time.Weekday, hour int, n int64) report.Row {
		return report.Row{Slot: int(weekday)*24 + hour, PriceCurrency: "EUR", SendCurrency: "EUR", Measures: report.Measures{Sales: n}}
	}
	a := ask{kind: Kinds()[6], by: report.BySlot, compare: compareBefore, from: 20_000, to: 20_028}
	page := a.table(l, figures{
		rows:   []report.Row{at(time.Monday, 9, 3)},
		before: []report.Row{at(time.Monday, 9, 1), at(time.Monday, 10, 4), at(time.Sunday, 10, 2)},
	}).page(l)
	told := map[string][2]string{}
	for _, line := range append(page.Rows, page.Totals...) {
		told[line.Name] = [2]string{line.Cells[0].Text, line.Cells[len(line.Cells)-2].Text}
	}
	require.Equal(t, map[string][2]string{"Mon": {"3", "5"}, "Sun": {"0", "2"}, "Total": {"3", "7"}}, told)
}

// TestMoreFailuresAreNotGood: nor is more that limits stop.
func TestMoreFailuresAreNotGood(t *testing.T) {
	t.Parallel()
	l := locale.New(language.English, nil)
	row := func(n int64) []report.Row {
		m := report.Measures{Sales: n, Complete: n, Failed: n, PriceMicros: n, MarginMicros: n, CommissionMicros: n}
		drawers := report.Drawers{ExpectedMicros: n}
		return []report.Row{{PriceCurrency: "EUR", SendCurrency: "EUR", Measures: m, Drawer: drawers, Stop: report.Stops{Stopped: n}}}
	}
	for _, kind := range Kinds() {
		a := ask{kind: kind, by: kind.By[0], compare: compareBefore, from: 20_000, to: 20_028}
		tone := func(now, before int64) string {
			cells := a.table(l, figures{rows: row(now), before: row(before)}).page(l).Totals[0].Cells
			return cells[len(cells)-1].Tone
		}
		more, fewer := "good", "bad"
		if kind.Name == "failures" || kind.Name == "limits" {
			more, fewer = "bad", "good"
		}
		require.Equal(t, []string{more, fewer, ""}, []string{tone(3, 2), tone(2, 3), tone(2, 2)}, kind.Name)
	}
}

// TestTheCurrencyOfMostIsFirst: of shifts and of sales stopped, too, which count no sales.
func TestTheCurrencyOfMostIsFirst(t *testing.T) {
	t.Parallel()
	l := locale.New(language.English, nil)
	row := func(in money.Currency, n int64) report.Row {
		return report.Row{
			ShopID: string(in), PriceCurrency: in, SendCurrency: in,
			Drawer: report.Drawers{Shifts: n, CountedMicros: n}, Stop: report.Stops{Stopped: n, HeldMicros: n},
		}
	}
	for _, kind := range Kinds() {
		if kind.Name != "cash" && kind.Name != "limits" {
			continue
		}
		a := ask{kind: kind, by: report.ByShop, from: 20_000, to: 20_028}
		table := a.table(l, figures{rows: []report.Row{row("AED", 1), row("EUR", 2), row("USD", 1)}})
		require.EqualValues(t, "EUR", table.weightiest().PriceCurrency, kind.Name)
		require.EqualValues(t, "EUR", table.rows[0].PriceCurrency, kind.Name)
	}
}

// TestAFormsListsAreThoseOfItsReport: before there are shops, too, and without the one way in which there is to sum.
func TestAFormsListsAreThoseOfItsReport(t *testing.T) {
	t.Parallel()
	for a, want := range map[*ask][]string{
		{kind: Kinds()[0]}:                                 {"by", "compare"},
		{kind: Kinds()[0], mayShop: true}:                  {"by", "compare", "shop"},
		{kind: reportKind{By: []report.Dimension{"slot"}}}: {"compare"},
	} {
		var names []string
		for _, list := range a.lists(locale.New(language.English, nil)) {
			names = append(names, list.Name)
		}
		require.Equal(t, want, names)
	}
}

// TestAReportOnPaperSaysWhatItIsOf: the figures of one person read as the shop's, and what was before as any period.
func TestAReportOnPaperSaysWhatItIsOf(t *testing.T) {
	t.Parallel()
	s, shops := trading(t)
	l := locale.New(language.English, nil)
	address := url.Values{"from": {"2026-02-10"}, "to": {"2026-02-11"}, "compare": {compareBefore}, "cashier": {"01ANNA"}, "country": {"ML"}}
	a, err := s.askOf(Kinds()[0], address, shops, time.UTC, true)
	require.NoError(t, err)
	require.NoError(t, a.problem)
	found := figures{
		rows:  []report.Row{{Day: a.from, PriceCurrency: "EUR", SendCurrency: "EUR", Measures: report.Measures{Sales: 2}}},
		names: frame.ReportNames{Names: frame.Names{People: map[string]string{"01ANNA": "Anna"}}, Countries: map[string]string{"ML": "Mali"}},
	}
	said := []string{"All shops", "10 Feb 2026 to 11 Feb 2026", "Country: Mali", "Cashier: Anna", "Compared with: 8 Feb 2026 to 9 Feb 2026"}
	notes := s.reportSheet(a, found, l).Notes
	require.Equal(t, said, notes[:len(notes)-1])
	message, err := s.reportMessage(a, found, l, "csv")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(message.Text, "Sales\n"+strings.Join(said, "\n")+"\nSales: 2\n"), message.Text)
}

// TestAYearEarlierAreTheSameDates though one of the years has a day more.
func TestAYearEarlierAreTheSameDates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, last, earlier, earlierLast string }{
		{"2026-02-01", "2026-02-28", "2025-02-01", "2025-02-28"},
		{"2028-01-01", "2028-12-31", "2027-01-01", "2027-12-31"},
		{"2028-02-01", "2028-02-29", "2027-02-01", "2027-02-28"},
		{"2029-01-01", "2029-12-31", "2028-01-01", "2028-12-31"},
		{"2029-03-01", "2029-03-31", "2028-03-01", "2028-03-31"},
		{"2028-02-29", "2028-02-29", "2027-02-28", "2027-02-28"},
		{"2028-02-29", "2028-03-01", "2027-03-01", "2027-03-01"},
	} {
		values := url.Values{"from": {c.from}, "to": {c.last}, "compare": {compareYear}}
		s := &Screens{Server: &frame.Server{D: frame.Deps{Now: func() time.Time { return time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC) }}}}
		a, err := s.askOf(Kinds()[0], values, nil, time.UTC, true)
		require.NoError(t, err)
		from, to, compared := a.comparison()
		require.True(t, compared)
		require.Equal(t, []string{c.earlier, c.earlierLast}, []string{from.String(), (to - 1).String()}, "%s to %s", c.from, c.last)
	}
}

// TestMonthsAndWeeksAreComparedWithTheirLike: the last with the last of the period before, though they are not as long.
func TestMonthsAndWeeksAreComparedWithTheirLike(t *testing.T) {
	t.Parallel()
	l := locale.New(language.English, nil)
	day := func(text string) report.Day {
		d, err := report.ParseDay(text)
		require.NoError(t, err)
		return d
	}
	rows := func(days ...string) (all []report.Row) {
		for i, d := range days {
			all = append(all, report.Row{Day: day(d), PriceCurrency: "EUR", SendCurrency: "EUR", Measures: report.Measures{Sales: int64(i) + 1}})
		}
		return all
	}
	for _, c := range []struct {
		by            report.Dimension
		compare       string
		from, to      string
		rows, earlier []report.Row
		want          []int64
	}{
		{report.ByMonth, compareBefore, "2026-01-01", "2026-03-31", rows("2026-01-01", "2026-02-01", "2026-03-01"), rows("2025-10-01", "2025-11-01", "2025-12-01"), []int64{1, 2, 3}},
		{report.ByMonth, compareBefore, "2026-03-01", "2026-03-31", rows("2026-03-01"), rows("2026-01-01", "2026-02-01"), []int64{2}},
		{report.ByMonth, compareWeek, "2026-02-01", "2026-02-28", rows("2026-02-01"), rows("2026-01-01"), []int64{1}},
		{report.ByMonth, compareYear, "2026-01-01", "2026-02-28", rows("2026-01-01", "2026-02-01"), rows("2025-01-01", "2025-02-01"), []int64{1, 2}},
		{report.ByMonth, compareYear, "2024-01-01", "2024-12-31", rows("2024-01-01", "2024-12-01"), rows("2023-01-01", "2023-12-01", "2024-01-01"), []int64{1, 2}},
		{report.ByWeek, compareBefore, "2026-03-01", "2026-03-15", rows("2026-02-23", "2026-03-02", "2026-03-09"), rows("2026-02-09", "2026-02-16", "2026-02-23"), []int64{1, 2, 3}},
		{report.ByWeek, compareYear, "2026-03-02", "2026-03-15", rows("2026-03-02", "2026-03-09"), rows("2025-03-03", "2025-03-10"), []int64{1, 2}},
		{report.ByDay, compareYear, "2028-02-28", "2028-03-02", rows("2028-02-28", "2028-02-29", "2028-03-01", "2028-03-02"), rows("2027-02-28", "2027-03-01", "2027-03-02"), []int64{1, 0, 2, 3}},
		{report.ByDay, compareYear, "2029-02-28", "2029-03-01", rows("2029-02-28", "2029-03-01"), rows("2028-02-28", "2028-03-01", "2028-02-29"), []int64{1, 2}},
		{report.ByDay, compareYear, "2028-02-29", "2028-02-29", rows("2028-02-29"), rows("2027-02-28"), []int64{1}},
		{report.ByDay, compareBefore, "2026-03-02", "2026-03-03", rows("2026-03-02", "2026-03-03"), rows("2026-02-28", "2026-03-01"), []int64{1, 2}},
	} {
		a := ask{kind: Kinds()[0], by: c.by, compare: c.compare, from: day(c.from), to: day(c.to) + 1}
		var got []int64
		for _, r := range a.table(l, figures{rows: c.rows, before: c.earlier}).rows {
			got = append(got, r.before.Sales)
		}
		require.Equal(t, c.want, got, "%s by %s from %s", c.compare, c.by, c.from)
	}
}

func TestReportsAreThoseOfTheDomain(t *testing.T) {
	var names []string
	for _, kind := range Kinds() {
		names = append(names, kind.Name)
	}
	require.Equal(t, report.Kinds(), names)
}
