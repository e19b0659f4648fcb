package report_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/demodata"
	"airtill/internal/harness/storetest"
	"airtill/internal/report"
	"airtill/internal/store"
)

// TestDrawersAgreeWithTheShifts holds the sums of shifts against plain SQL, whoever
// has summed them: a period with a whole month in it is read from the sums of closed
// shifts and from the shifts that are not among them.
func TestDrawersAgreeWithTheShifts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 900, Days: 60, Shops: 2, Seed: 3})
		var shift struct{ ID, ShopID, TillID, CashierID string }
		require.NoError(t, db.Read(t.Context()).Raw("SELECT id, shop_id, till_id, cashier_id FROM shifts WHERE opened_at < ? ORDER BY id DESC LIMIT 1", day(t, "2026-02-28").Time()).Scan(&shift).Error)
		for i, kind := range []string{"in", "safe", "expense", "expense", "back"} {
			w.exec("INSERT INTO cash_moves (id, shift_id, form_key, kind, micros, currency, reason, user_id, approver, at) VALUES (?,?,?,?,?,'EUR','','','',?)",
				fmt.Sprint("m", i), shift.ID, fmt.Sprint("f", i), kind, 1_000_000*(i+1), evening)
		}
		w.requireDrawers("closed, and not summed yet")
		require.NoError(t, w.report.Refresh(t.Context()))
		require.Empty(t, w.lines("SELECT * FROM drawer_closings"))
		require.NotEmpty(t, w.lines("SELECT * FROM drawer_months"))
		w.requireDrawers("summed")
		w.exec("INSERT INTO shifts (id, shop_id, till_id, number, cashier_id, currency, opening_micros, opened_at) VALUES ('late', ?, ?, 999, ?, 'EUR', 50000000, ?)",
			shift.ShopID, shift.TillID, shift.CashierID, moment(t, "2026-02-14T08:00:00Z"))
		w.requireDrawers("one is open")
		w.exec("INSERT INTO drawer_counts (shift_id, seq, form_key, user_id, at, piles, counted_micros, expected_micros) VALUES ('late', 1, 'first', '', ?, '{}', 1, 60000000), ('late', 2, 'late', '', ?, '{}', 61000000, 60000000)", evening, evening)
		w.exec("UPDATE shifts SET closed_at = ?, closed_by = cashier_id, counted_micros = 61000000 WHERE id = 'late'", evening)
		w.requireDrawers("it is closed")
		require.NoError(t, w.report.Refresh(t.Context()))
		w.requireDrawers("it is summed too")
		before := w.lines("SELECT * FROM drawer_months")
		w.exec("UPDATE drawer_months SET counted_micros = counted_micros + 1")
		require.NoError(t, w.report.Rebuild(t.Context()))
		require.Equal(t, before, w.lines("SELECT * FROM drawer_months"), "from scratch")
		w.requireDrawers("from scratch")
	})
}

// requireDrawers compares every grouping over a period that begins and ends within a
// month, and over one within a month.
func (w *world) requireDrawers(when string) {
	w.t.Helper()
	w.requireDrawersOf(day(w.t, "2026-02-03"), day(w.t, "2026-02-20"), when)
	from, to := day(w.t, "2026-01-20"), day(w.t, "2026-03-15")
	w.requireDrawersOf(from, to, when)
	months := map[report.Dimension]map[report.Day]report.Drawers{}
	for _, by := range []report.Dimension{report.ByDay, report.ByMonth} { // days are read from the shifts, months are not
		rows := w.sums(report.Query{Of: report.OfDrawers, Shops: w.shops[:1], From: from, To: to, By: []report.Dimension{by, report.ByShop}})
		itself := slices.ContainsFunc(rows, func(r report.Row) bool { return r.Day == day(w.t, "2026-02-10") })
		require.Equal(w.t, by == report.ByDay, itself, "each day by itself")
		months[by] = map[report.Day]report.Drawers{}
		for _, r := range rows {
			require.Equal(w.t, w.shops[0], r.ShopID)
			sum := months[by][r.Day.Month()]
			sum.Add(r.Drawer)
			months[by][r.Day.Month()] = sum
		}
	}
	require.Equal(w.t, months[report.ByDay], months[report.ByMonth], when)
	require.Len(w.t, months[report.ByMonth], 3)
	february := months[report.ByMonth][day(w.t, "2026-02-01")]
	require.Positive(w.t, february.Off)
	require.Positive(w.t, february.TakenMicros())
}

func (w *world) requireDrawersOf(from, to report.Day, when string) {
	w.t.Helper()
	for dimension, column := range map[report.Dimension]string{report.ByShop: "shop_id", report.ByTill: "till_id", report.ByCashier: "cashier_id"} {
		rows, err := w.report.Sums(w.t.Context(), report.Query{Of: report.OfDrawers, Shops: w.shops, From: from, To: to, By: []report.Dimension{dimension}})
		require.NoError(w.t, err)
		got := map[string]string{}
		for _, r := range rows {
			d := r.Drawer
			got[r.ShopID+r.TillID+r.CashierID] = fmt.Sprintln(d.Shifts, d.Closed, d.Off, d.OpeningMicros, d.CountedMicros, d.DifferenceMicros(), d.PaidInMicros, d.DroppedMicros, d.ExpenseMicros)
		}
		require.Equal(w.t, w.plainDrawers(column, from, to), got, "%s: %s", when, dimension)
	}
}

// plainDrawers asks the shifts themselves; the shops keep Dublin's time.
func (w *world) plainDrawers(column string, from, to report.Day) map[string]string {
	w.t.Helper()
	var rows []struct {
		Value                                                                              string
		Shifts, Closed, Differing, Opening, Counted, Difference, PaidIn, Dropped, Expenses int64
	}
	moved := func(kind string) string {
		return "CAST(COALESCE(SUM((SELECT SUM(m.micros) FROM cash_moves m WHERE m.shift_id = s.id AND m.kind = '" + kind + "')), 0) AS BIGINT)"
	}
	require.NoError(w.t, w.db.Read(w.t.Context()).Raw(`SELECT s.`+column+` AS value, COUNT(*) AS shifts, COUNT(closed_at) AS closed,
		SUM(CASE WHEN c.counted_micros <> c.expected_micros THEN 1 ELSE 0 END) AS differing,
		CAST(SUM(CASE WHEN closed_at IS NULL THEN 0 ELSE opening_micros END) AS BIGINT) AS opening,
		CAST(COALESCE(SUM(s.counted_micros), 0) AS BIGINT) AS counted, CAST(COALESCE(SUM(c.counted_micros - c.expected_micros), 0) AS BIGINT) AS difference,
		`+moved("in")+` AS paid_in, `+moved("safe")+` AS dropped, `+moved("expense")+` - `+moved("back")+` AS expenses
		FROM shifts s LEFT JOIN drawer_counts c ON c.shift_id = s.id AND c.seq = (SELECT MAX(seq) FROM drawer_counts WHERE shift_id = s.id)
		WHERE opened_at >= ? AND opened_at < ? GROUP BY s.`+column, from.Time(), to.Time()).Scan(&rows).Error)
	found := map[string]string{}
	for _, r := range rows {
		found[r.Value] = fmt.Sprintln(r.Shifts, r.Closed, r.Differing, r.Opening, r.Counted, r.Difference, r.PaidIn, r.Dropped, r.Expenses)
	}
	return found
}

// Where the shops' months begin at different moments, a shift at the edge is in one month, and counted once.
func TestAShiftBetweenTwoMonthsIsCountedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 20, Days: 3, Shops: 2, Seed: 3})
		w.exec("UPDATE shops SET zone = 'Australia/Sydney' WHERE id = ?", w.shops[1])
		for i, shop := range w.shops {
			w.exec(`INSERT INTO shifts (id, shop_id, till_id, number, cashier_id, currency, opening_micros, opened_at)
				VALUES (?, ?, ?, 999, ?, 'EUR', 0, ?)`,
				fmt.Sprint("late", i), shop, fmt.Sprint("till", i), "", moment(t, "2026-01-31T18:00:00Z"))
		}
		q := report.Query{Of: report.OfDrawers, From: day(t, "2026-01-20"), To: day(t, "2026-03-10")}
		for _, q.By = range [][]report.Dimension{{report.ByMonth, report.ByShop}, {report.ByDay, report.ByShop}} {
			months := map[string]int64{}
			for _, r := range w.sums(q) {
				months[r.Day.Month().String()] += r.Drawer.Shifts
			}
			require.Equal(t, map[string]int64{"2026-01-01": 1, "2026-02-01": 1}, months)
		}
	})
}

func TestWhatLimitsStoppedByWeek(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 20, Days: 3, Shops: 2, Seed: 3})
		w.exec("UPDATE shops SET zone = 'Australia/Sydney' WHERE id = ?", w.shops[1])
		for i, stop := range []struct {
			shop                 int
			at, period, approver string
		}{
			{0, "2026-03-01T23:59:00Z", "day", ""},
			{0, "2026-03-02T00:01:00Z", "day", ""},
			{0, "2026-03-08T12:00:00Z", "hour", "boss"},
			{0, "2026-03-09T12:00:00Z", "day", ""},
			{0, "2026-02-28T14:00:00Z", "day", ""},
			{1, "2026-02-28T14:00:00Z", "hour", ""},
			{1, "2026-03-14T14:00:00Z", "hour", ""},
			{1, "2026-03-05T12:00:00Z", "hour", "boss"}, // by the shop's clock
		} {
			w.exec(`INSERT INTO limit_stops (id, at, shop_id, till_id, cashier_id, subject, period, measure, currency, most, used, sku_code, price_micros, price_currency, sale_id, approver)
				VALUES (?,?,?,'t','c','number',?,'count','',1,1,'',5000000,'EUR','',?)`, fmt.Sprint(i), moment(t, stop.at), w.shops[stop.shop], stop.period, stop.approver)
		}
		q := report.Query{Of: report.OfStops, Shops: w.shops, From: day(t, "2026-03-01"), To: day(t, "2026-03-15"), By: []report.Dimension{report.ByWeek}}
		rows, err := w.report.Sums(t.Context(), q)
		require.NoError(t, err)
		weeks := map[string]report.Stops{}
		for _, r := range rows {
			weeks[r.Day.String()] = r.Stop
		}
		require.Equal(t, map[string]report.Stops{
			"2026-02-23": {Stopped: 2, HeldMicros: 10_000_000}, "2026-03-02": {Stopped: 3, Allowed: 2, HeldMicros: 5_000_000}, "2026-03-09": {Stopped: 1, HeldMicros: 5_000_000},
		}, weeks)
		q.Shops, q.By, q.Only = w.shops[:1], []report.Dimension{report.ByCashier}, map[report.Dimension]string{report.ByRule: "number/hour/count"}
		rows, err = w.report.Sums(t.Context(), q)
		require.NoError(t, err)
		require.Len(t, rows, 1)
		require.Equal(t, report.Stops{Stopped: 1, Allowed: 1}, rows[0].Stop)
		q.By = []report.Dimension{report.ByProduct}
		_, err = w.report.Sums(t.Context(), q)
		require.Equal(t, fault.Invalid, fault.KindOf(err))
	})
}
