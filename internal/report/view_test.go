package report_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/demodata"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// told is a refusal's field and code.
func told(err error) string {
	var refusal *fault.Error
	if !errors.As(err, &refusal) {
		return ""
	}
	return refusal.Field + " " + refusal.Code
}

// people are the ids of two users at least.
func (w *world) people() (ids []string) {
	w.t.Helper()
	require.NoError(w.t, w.db.Read(w.t.Context()).Raw("SELECT id FROM users ORDER BY id").Scan(&ids).Error)
	require.Greater(w.t, len(ids), 1)
	return ids
}

func TestAReportIsKeptUnderAName(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 2, Days: 1, Shops: 1, Seed: 1})
		s, anna, boris := w.report, w.people()[0], w.people()[1]
		save := func(user, name, path string) error { return s.SaveView(t.Context(), user, name, path) }
		names := func(user string) (all []string) {
			views, err := s.Views(t.Context(), user)
			require.NoError(t, err)
			for _, v := range views {
				all = append(all, v.Name+" "+v.Path)
			}
			return all
		}
		longest := strings.Repeat("ü", 60)
		require.NoError(t, save(anna, " Margin ", "/reports/margin?by=shop"))
		require.NoError(t, save(anna, "Cash", "/reports/cash"))
		require.NoError(t, save(boris, "Margin", "/reports/margin"))
		require.Equal(t, []string{"Cash /reports/cash", "Margin /reports/margin?by=shop"}, names(anna), "by name, each their own")
		require.NoError(t, save(anna, "Margin", "/reports/margin?by=day"))
		require.Equal(t, []string{"Cash /reports/cash", "Margin /reports/margin?by=day"}, names(anna), "a name is kept once")
		for _, c := range []struct{ name, path, told string }{
			{" ", "/reports/cash", "name view.name"},
			{longest + "x", "/reports/cash", "name view.name"},
			{"x", "/admin/users", " view.no-report"},
			{"x", "//evil.example/reports/cash", " view.no-report"},
			{"x", "https://evil.example/reports/cash", " view.no-report"},
			{"x", "/reports/cash?" + strings.Repeat("x", 987), " view.no-report"},
			{longest, "/reports/cash?" + strings.Repeat("x", 986), ""},
		} {
			require.Equal(t, c.told, told(save(anna, c.name, c.path)), "%.20s %.20s", c.name, c.path)
		}

		for i := range 47 {
			require.NoError(t, save(anna, fmt.Sprint("number ", i), "/reports/sales"))
		}
		require.Equal(t, " view.full", told(save(anna, "one more", "/reports/sales")))
		require.NoError(t, save(anna, "Cash", "/reports/cash?by=till"), "one that is there may change")
		views, err := s.Views(t.Context(), anna)
		require.NoError(t, err)
		require.Len(t, views, 50)
		require.NoError(t, s.ForgetView(t.Context(), boris, views[0].ID))
		require.Len(t, names(anna), 50, "nobody forgets another's")
		for range 2 {
			require.NoError(t, s.ForgetView(t.Context(), anna, views[0].ID))
		}
		require.Len(t, names(anna), 49)
		require.NoError(t, save(anna, "one more", "/reports/sales"))
	})
}

// TestNoMoreReportsAreKeptThanMay, whatever is saved at once.
func TestNoMoreReportsAreKeptThanMay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 2, Days: 1, Shops: 1, Seed: 1})
		anna := w.people()[0]
		var all sync.WaitGroup
		for i := range 60 {
			all.Go(func() { _ = w.report.SaveView(t.Context(), anna, fmt.Sprint("number ", i), "/reports/sales") })
		}
		all.Wait()
		views, err := w.report.Views(t.Context(), anna)
		require.NoError(t, err)
		require.Len(t, views, 50)
	})
}

// sell makes some of a day's sales those of a product, of which so many failed.
func (w *world) sell(sku string, complete, failed int) {
	w.t.Helper()
	var ids []string
	require.NoError(w.t, w.db.Read(w.t.Context()).Raw("SELECT id FROM sales WHERE sku_code NOT LIKE 'TEST%' ORDER BY id DESC LIMIT ?",
		complete+failed).Scan(&ids).Error)
	require.Len(w.t, ids, complete+failed)
	w.exec("UPDATE sales SET sku_code = ?, fulfilment = 'complete', cash = 'earned' WHERE id IN ?", "TEST"+sku, ids)
	if failed > 0 {
		w.exec("UPDATE sales SET fulfilment = 'failed', cash = 'refunded' WHERE id IN ?", ids[:failed])
	}
}

// A product is said to fail by three failures of the last day that are no fewer than what went through, in all shops.
func TestAProductThatFails(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 60, Days: 1, Shops: 2, Seed: 4})
		w.exec("UPDATE sales SET fulfilment = 'complete'")
		w.sell("EVEN", 3, 3)
		w.sell("MOSTLY", 4, 3)
		w.sell("FEW", 0, 2)
		w.sell("ALWAYS", 0, 4)
		require.NoError(t, w.report.Rebuild(t.Context()))
		asked := storetest.Recorded(t, db)
		failing, err := w.report.Failing(t.Context())
		require.NoError(t, err)
		plan := storetest.Plan(t, db, (*asked)[0].SQL, (*asked)[0].Args...)
		require.Regexp(t, `shop_id=\? AND starts>|Index Cond: .*starts >=`, plan, "not all of the weeks that are kept")
		require.Equal(t, map[string]bool{"TESTEVEN": true, "TESTALWAYS": true}, failing)
		w.pass(24 * time.Hour)
		require.NoError(t, w.report.Refresh(t.Context()))
		failing, err = w.report.Failing(t.Context())
		require.NoError(t, err)
		require.Empty(t, failing, "that was yesterday")
	})
}

// What a shop sells most is read every few minutes, however often counters ask.
func TestWhatIsPopularIsReadEveryFewMinutes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 60, Days: 1, Shops: 1, Seed: 4})
		w.exec("UPDATE sales SET country_iso = 'NG'")
		w.sell("BEST", 5, 2)
		require.NoError(t, w.report.Rebuild(t.Context()))
		sold := func(shop string) report.Popular {
			p, err := w.report.Popular(t.Context(), shop)
			require.NoError(t, err)
			return p
		}
		require.EqualValues(t, 5, sold(w.shops[0]).Products["TESTBEST"], "what failed is not liked")
		require.Empty(t, sold("another").Products)
		all := sold(w.shops[0]).Countries["NG"]
		w.exec("UPDATE sales SET fulfilment = 'failed'")
		require.NoError(t, w.report.Rebuild(t.Context()))
		w.pass(5*time.Minute - time.Second)
		require.Equal(t, all, sold(w.shops[0]).Countries["NG"])
		w.pass(time.Second)
		require.Empty(t, sold(w.shops[0]).Countries)
	})
}

// Sums are refreshed when something moved, and each minute, because days begin.
func TestARefreshIsDueWhenSomethingMoved(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 20, Days: 1, Shops: 1, Seed: 4})
		due := func() bool {
			due, err := w.report.Due(t.Context())
			require.NoError(t, err)
			return due
		}
		require.True(t, due(), "first of all")
		require.NoError(t, w.report.Refresh(t.Context()))
		require.False(t, due())
		var id string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT MAX(id) FROM sales").Scan(&id).Error)
		w.reverse(id)
		require.True(t, due())
		require.NoError(t, w.report.Refresh(t.Context()))
		w.pass(time.Minute - time.Second)
		require.False(t, due())
		w.pass(time.Second)
		require.True(t, due())
		require.False(t, due(), "once a minute")
	})
}

// A period that cannot be asked for says what to change about it.
func TestAPeriodThatIsTooLongSaysSo(t *testing.T) {
	t.Parallel()
	s := report.New(report.Deps{DB: storetest.New(t), Now: func() time.Time { return evening }})
	from := day(t, "2026-01-01")
	for name, c := range map[string]struct {
		q    report.Query
		told string
	}{
		"a day":                  {report.Query{From: from, To: from + 1}, ""},
		"no day":                 {report.Query{From: from, To: from}, "to period.ends-first"},
		"backwards":              {report.Query{From: from, To: from - 1}, "to period.ends-first"},
		"ten years":              {report.Query{From: from, To: from + 3660}, ""},
		"a day more":             {report.Query{From: from, To: from + 3661}, "from period.too-long"},
		"from the first day":     {report.Query{From: day(t, "2020-01-01"), To: from}, ""},
		"from the day before":    {report.Query{From: day(t, "2020-01-01") - 1, To: from}, "from period.too-long"},
		"to the last day":        {report.Query{From: day(t, "2099-12-31"), To: day(t, "2099-12-31") + 1}, ""},
		"to the day after":       {report.Query{From: day(t, "2099-12-31"), To: day(t, "2099-12-31") + 2}, "from period.too-long"},
		"a hundred days by day":  {report.Query{From: from, To: from + 100, By: []report.Dimension{report.ByDay}}, ""},
		"a day more by day":      {report.Query{From: from, To: from + 101, By: []report.Dimension{report.ByDay}}, "by period.by-month"},
		"by what nobody counts":  {report.Query{From: from, To: from + 1, By: []report.Dimension{"colour"}}, "by report.grouping"},
		"by what is of limits":   {report.Query{From: from, To: from + 1, By: []report.Dimension{report.ByRule}}, "by report.grouping"},
		"by what is apart":       {report.Query{From: from, To: from + 1, By: []report.Dimension{report.ByProduct, report.ByTill}}, "by report.combination"},
		"only a day of a period": {report.Query{From: from, To: from + 1, Only: map[report.Dimension]string{report.ByDay: "1"}}, ""},
	} {
		_, err := s.Sums(t.Context(), c.q)
		require.Equal(t, c.told, told(err), name)
		require.Equal(t, c.told == "" && name != "only a day of a period", err == nil, name)
	}
	_, err := s.Sums(t.Context(), report.Query{Of: report.OfDrawers, From: from, To: from + 1, By: []report.Dimension{report.ByProduct}})
	require.Equal(t, "by report.grouping", told(err), "a drawer has no products")
	_, err = s.Sums(t.Context(), report.Query{From: from, To: from + 1, Sums: []string{"1; DROP TABLE sales"}})
	require.Error(t, err, "what is summed is one of ours")
}

// What a list adds up to: what was taken, what is held while it is open, what must go back.
func TestWhatAListAddsUpTo(t *testing.T) {
	t.Parallel()
	totals := []sales.Total{
		{Fulfilment: sales.Complete, Cash: sales.CashEarned, PriceCurrency: "EUR", Count: 3, PriceMicros: 30},
		{Fulfilment: sales.Complete, Cash: sales.CashRefunded, PriceCurrency: "EUR", Count: 1, PriceMicros: 7},
		{Fulfilment: sales.Unknown, Cash: sales.CashTaken, PriceCurrency: "EUR", Count: 2, PriceMicros: 5},
		{Fulfilment: sales.Sending, Cash: sales.CashTaken, PriceCurrency: "EUR", Count: 1, PriceMicros: 1},
		{Fulfilment: sales.Unknown, Cash: sales.CashRefunded, PriceCurrency: "EUR", Count: 1, PriceMicros: 9},
		{Fulfilment: sales.Failed, Cash: sales.CashRefundDue, PriceCurrency: "EUR", Count: 1, PriceMicros: 11},
		{Fulfilment: sales.Voided, Cash: sales.CashRefunded, PriceCurrency: "EUR", Count: 4, PriceMicros: 13},
		{Fulfilment: sales.Complete, Cash: sales.CashEarned, PriceCurrency: "KES", Count: 1, PriceMicros: 100},
	}
	euros := report.SumOf(totals, "EUR")
	require.Equal(t, report.ListSum{Currency: "EUR", Sent: 4, Failed: 5, Open: 4, Taken: 30, Held: 6, Owed: 11}, euros)
	require.EqualValues(t, 13, euros.Count())
	require.Equal(t, report.ListSum{Currency: "KES", Sent: 1, Taken: 100}, report.SumOf(totals, "KES"))
	require.Equal(t, report.ListSum{Currency: "USD"}, report.SumOf(totals, "USD"))
	require.Equal(t, report.ListSum{Currency: money.Currency("EUR")}, report.SumOf(nil, "EUR"))
}

// A filter of rows is the same question to the sums, as far as they know what it narrows by.
func TestAFilterIsAQuestionToTheSums(t *testing.T) {
	t.Parallel()
	f := sales.Filter{TillID: "t", CashierID: "c", CountryISO: "NG", ProviderCode: "KONG", Kind: "data", SKUCode: "K1", Reason: "A/B"}
	l := report.OfRows(f, []string{"shop"}, 5, 9, "33")
	require.Equal(t, 33, l.Slot)
	require.Equal(t, report.Query{Shops: []string{"shop"}, From: 5, To: 9, Only: map[report.Dimension]string{
		report.ByTill: "t", report.ByCashier: "c", report.ByCountry: "NG", report.ByProvider: "KONG", report.ByKind: "data",
		report.ByProduct: "K1", report.ByReason: "A/B",
	}}, l.Query)
	for _, slot := range []string{"", "noon"} {
		require.Equal(t, -1, report.OfRows(f, nil, 5, 9, slot).Slot, slot)
	}
	require.Empty(t, report.OfRows(sales.Filter{}, nil, 5, 9, "").Only)
	none := report.OfRows(sales.Filter{Reason: sales.NoReason}, nil, 5, 9, "").Only
	require.Equal(t, map[report.Dimension]string{report.ByReason: ""}, none, "to have none is asked for too")
}

// What customers paid into a drawer is what it should hold less what else moved its cash.
func TestWhatCustomersPaidIntoADrawer(t *testing.T) {
	t.Parallel()
	d := report.Drawers{OpeningMicros: 50, PaidInMicros: 20, DroppedMicros: 100, ExpenseMicros: 5, ExpectedMicros: 65, CountedMicros: 60}
	require.EqualValues(t, 100, d.TakenMicros())
	require.EqualValues(t, -5, d.DifferenceMicros())
	sum := report.Row{Measures: report.Measures{Sales: 1, Within100s: 1}, Drawer: d, Stop: report.Stops{Stopped: 2, HeldMicros: 3}}
	sum.Join(sum)
	require.Equal(t, report.Measures{Sales: 2, Within100s: 2}, sum.Measures)
	require.EqualValues(t, 200, sum.Drawer.TakenMicros())
	require.EqualValues(t, -10, sum.Drawer.DifferenceMicros())
	require.Equal(t, report.Stops{Stopped: 4, HeldMicros: 6}, sum.Stop)
}
