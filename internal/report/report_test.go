package report_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/demodata"
	"airtill/internal/harness/storetest"
	"airtill/internal/jobs"
	"airtill/internal/jobs/jobstest"
	"airtill/internal/pricing"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func sorted(t *testing.T, rows []map[string]any) []string {
	t.Helper()
	lines := make([]string, len(rows))
	for i, row := range rows {
		line, err := json.Marshal(row)
		require.NoError(t, err)
		lines[i] = string(line)
	}
	slices.Sort(lines)
	return lines
}

// groupings are what each dimension is in plain SQL over the sales, whose shops
// keep Dublin's time here, which is UTC until the end of March.
func groupings(dialect store.Dialect) map[report.Dimension]string {
	day, slot := "substr(recorded_at, 1, 10)", "strftime('%w', substr(recorded_at, 1, 19)) * 24 + strftime('%H', substr(recorded_at, 1, 19))"
	if dialect == store.Postgres {
		day, slot = "to_char(recorded_at, 'YYYY-MM-DD')", "CAST(EXTRACT(DOW FROM recorded_at) * 24 + EXTRACT(HOUR FROM recorded_at) AS BIGINT)"
	}
	return map[report.Dimension]string{
		report.ByDay: day, report.ByMonth: "substr(" + day + ", 1, 7)", report.BySlot: slot, report.ByShop: "shop_id", report.ByCountry: "country_iso", report.ByProvider: "provider_code",
		report.ByKind: "kind", report.ByProduct: "sku_code", report.ByTill: "till_id", report.ByCashier: "cashier_id",
		report.ByReason: "reason_code || CASE WHEN reason_context = '' THEN '' ELSE '/' || reason_context END",
	}
}

// inDoubt has the cash of some sales given back while nobody knows what became of them.
const inDoubt = `UPDATE sales SET fulfilment = 'unknown', final_at = NULL, cash = 'refunded' WHERE id IN (
	SELECT id FROM sales WHERE fulfilment = 'complete' AND NOT practice ORDER BY id DESC LIMIT 5 OFFSET 3)`

// TestReportsAgreeWithTheSales holds every grouping with every filter, over periods
// that begin and end anywhere, against plain SQL over the sales.
func TestReportsAgreeWithTheSales(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 1500, Days: 75, Shops: 2, Seed: 3})
		w.exec(inDoubt)
		require.NoError(t, w.report.Refresh(t.Context()))
		columns, compared := groupings(db.Dialect()), 0
		filters := []map[report.Dimension]string{nil}
		for _, dimension := range []report.Dimension{report.ByCountry, report.ByProvider, report.ByKind, report.ByProduct, report.ByTill, report.ByCashier, report.ByReason} {
			for _, value := range w.most(columns[dimension], dimension == report.ByReason) {
				filters = append(filters, map[report.Dimension]string{dimension: value})
			}
		}
		filters = append(filters, map[report.Dimension]string{report.ByCountry: w.most("country_iso", false)[0], report.ByTill: w.most("till_id", false)[0]})
		for _, period := range [][2]string{
			{"2026-03-14", "2026-03-15"}, {"2026-03-10", "2026-03-15"}, {"2026-01-05", "2026-02-20"}, {"2025-12-01", "2026-03-15"}, {"2026-02-01", "2026-03-01"}, {"2026-01-31", "2026-03-01"},
		} {
			from, to := day(t, period[0]), day(t, period[1])
			for dimension, column := range columns {
				for _, only := range filters {
					if dimension == report.ByDay && to-from > report.MostDaysByDay {
						continue
					}
					rows, err := w.report.Sums(t.Context(), report.Query{Shops: w.shops, From: from, To: to, By: []report.Dimension{dimension}, Only: only})
					if fault.KindOf(err) == fault.Invalid {
						continue // not kept together
					}
					require.NoError(t, err)
					got := map[string]string{}
					for _, row := range rows {
						got[valueOf(dimension, row)] = fmt.Sprintln(row.Sales, row.Complete, row.Failed, row.PriceMicros, row.SendMicros, row.CommissionMicros, row.MarginMicros, row.RefundedMicros)
					}
					require.Equal(t, w.plain(column, from, to, dimension == report.ByReason, only), got, "%s of %v, %v", dimension, only, period)
					compared++
				}
			}
		}
		require.Greater(t, compared, 300)
	})
}

func valueOf(d report.Dimension, row report.Row) string {
	switch d {
	case report.ByDay:
		return row.Day.String()
	case report.ByMonth:
		return row.Day.String()[:len("2026-03")]
	case report.BySlot:
		return strconv.Itoa(row.Slot)
	default:
	}
	return row.ShopID + row.Country + row.Provider + row.Kind + row.SKU + row.TillID + row.CashierID + row.Reason
}

const failedOnly = " AND fulfilment IN ('failed', 'voided', 'cancelled')"

// most are the most frequent and the rarest value of a column.
func (w *world) most(column string, failed bool) []string {
	w.t.Helper()
	where := ""
	if failed {
		where = failedOnly
	}
	var values []string
	require.NoError(w.t, w.db.Read(w.t.Context()).Raw("SELECT value FROM (SELECT "+column+" AS value, COUNT(*) AS n FROM sales WHERE 1 = 1"+where+" GROUP BY 1) AS v ORDER BY n DESC, value").Scan(&values).Error)
	require.NotEmpty(w.t, values)
	return []string{values[0], values[len(values)-1]}
}

// plain asks the sales themselves.
func (w *world) plain(column string, from, to report.Day, failed bool, only map[report.Dimension]string) map[string]string {
	w.t.Helper()
	where, args := "", []any{from.Time(), to.Time()}
	for dimension, value := range only {
		where += " AND " + groupings(w.db.Dialect())[dimension] + " = ?"
		args = append(args, value)
		failed = failed || dimension == report.ByReason
	}
	if failed {
		where += failedOnly
	}
	var rows []struct {
		Value                                                              string
		Sales, Complete, Failed, Price, Send, Commission, Margin, Refunded int64
	}
	require.NoError(w.t, w.db.Read(w.t.Context()).Raw(`SELECT `+column+` AS value, COUNT(*) AS sales,
		SUM(CASE WHEN fulfilment = 'complete' THEN 1 ELSE 0 END) AS complete,
		SUM(CASE WHEN fulfilment IN ('failed', 'voided', 'cancelled') THEN 1 ELSE 0 END) AS failed,
		CAST(SUM(CASE WHEN fulfilment = 'complete' THEN price_micros ELSE 0 END) AS BIGINT) AS price,
		CAST(SUM(CASE WHEN fulfilment = 'complete' THEN actual_send_micros ELSE 0 END) AS BIGINT) AS send,
		CAST(SUM(CASE WHEN fulfilment = 'complete' THEN commission_micros ELSE 0 END) AS BIGINT) AS commission,
		CAST(SUM(CASE WHEN fulfilment = 'complete' THEN price_micros - actual_send_micros - actual_dist_micros + commission_micros ELSE 0 END) AS BIGINT) AS margin,
		CAST(SUM(CASE WHEN cash = 'refunded' THEN price_micros ELSE 0 END) AS BIGINT) AS refunded
		FROM sales WHERE recorded_at >= ? AND recorded_at < ?`+where+` GROUP BY 1`, args...).Scan(&rows).Error)
	found := map[string]string{}
	for _, r := range rows {
		found[r.Value] = fmt.Sprintln(r.Sales, r.Complete, r.Failed, r.Price, r.Send, r.Commission, r.Margin, r.Refunded)
	}
	return found
}

// TestRebuiltIsTheSame: whatever moved in whatever order, what is kept up sale by
// sale is what one makes from scratch.
func TestRebuiltIsTheSame(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 900, Days: 50, Shops: 3, Seed: 5})
		require.NoError(t, w.report.Refresh(t.Context()))
		var ids []string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT id FROM sales ORDER BY id").Scan(&ids).Error)
		random := rand.New(rand.NewPCG(1, 2))
		for range 12 {
			for range 5 { // old and new sales fail after all
				w.reverse(ids[random.IntN(len(ids))])
			}
			w.reverse(ids[len(ids)-1-random.IntN(20)])
			w.pass(9 * time.Hour) // over midnights, and the end of the month
			require.NoError(t, w.report.Refresh(t.Context()))
		}
		const everything = "SELECT * FROM rollups"
		kept := w.lines(everything)
		require.NotEmpty(t, kept)
		w.exec("UPDATE rollups SET sales = sales + 1, price_micros = 7 WHERE starts % 2 = 0")
		w.exec("DELETE FROM rollups WHERE starts % 5 = 0")
		require.NotEqual(t, kept, w.lines(everything))
		require.NoError(t, w.report.Rebuild(t.Context()))
		require.Equal(t, kept, w.lines(everything))
		require.NotEmpty(t, w.lines("SELECT * FROM rollups WHERE level = 'week'"))
		require.NotEmpty(t, w.lines("SELECT * FROM rollups WHERE cube = 'reasons'"))
	})
}

// TestReasonsAreFew: why sales failed takes as many rows as there are reasons, however
// much more a shop sells and however many providers it sells of.
func TestReasonsAreFew(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 900, Days: 3, Shops: 2, Seed: 5})
		require.NoError(t, w.report.Refresh(t.Context()))
		var most struct{ Rows, Reasons, Finer int64 }
		require.NoError(t, db.Read(t.Context()).Raw(`SELECT r.n AS rows, r.reasons, f.n AS finer FROM
			(SELECT shop_id, COUNT(*) AS n, COUNT(DISTINCT reason) AS reasons FROM rollups WHERE cube = 'reasons' AND level = 'day' GROUP BY shop_id, starts) AS r,
			(SELECT COUNT(*) AS n FROM rollups WHERE cube = 'failures' AND level = 'day' AND shop_id = 'all' GROUP BY starts) AS f
			WHERE r.shop_id = 'all' ORDER BY f.n DESC LIMIT 1`).Scan(&most).Error)
		require.Greater(t, most.Rows, int64(3))
		require.Equal(t, most.Reasons, most.Rows)
		require.Greater(t, most.Finer, 2*most.Rows, "of what is split by country and provider too")
	})
}

func (w *world) exec(statement string, args ...any) {
	w.t.Helper()
	require.NoError(w.t, w.db.Tx(w.t.Context(), func(tx *store.Tx) error { return tx.Exec(statement, args...).Error }))
}

// reverse makes a sale fail, as a late reversal does, with the event that says so.
func (w *world) reverse(id string) {
	w.t.Helper()
	now := store.Moment(w.clock())
	w.exec("UPDATE sales SET fulfilment = 'failed', cash = 'refund_due', reason_code = 'Reversed', final_at = ?, events = events + 1 WHERE id = ?", now, id)
	w.exec(`INSERT INTO sale_events (sale_id, seq, at, cause, source, ref, was, became, actor, note)
		SELECT id, events, ?, 'listed', 'sweep', ref, 'complete/earned', 'failed/refund_due', '', '' FROM sales WHERE id = ?`, now, id)
}

func TestAMoveShowsAtTheNextRefresh(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t), demodata.Plan{Sales: 200, Days: 40, Shops: 1, Seed: 9})
	require.NoError(t, w.report.Refresh(t.Context()))
	var id string
	require.NoError(t, w.db.Read(t.Context()).Raw("SELECT id FROM sales WHERE fulfilment = 'complete' ORDER BY id LIMIT 1").Scan(&id).Error)
	q := report.Query{From: day(t, "2026-01-01"), To: day(t, "2026-03-15")}
	before := whole(w.sums(q))
	w.reverse(id)
	require.Equal(t, before, whole(w.sums(q)))
	require.NoError(t, w.report.Refresh(t.Context()))
	after := whole(w.sums(q))
	require.Equal(t, before.Complete-1, after.Complete)
	require.Equal(t, before.Failed+1, after.Failed)
	require.Positive(t, after.DueMicros)
}

// TestADayAgainstOneThatIsNotOver compares up to the same time of day, by quarters or
// by the day without those that come after.
func TestADayAgainstOneThatIsNotOver(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 3000, Days: 10, Shops: 3, Seed: 4})
		require.NoError(t, w.report.Refresh(t.Context()))
		last := day(t, "2026-03-07")
		for _, until := range []time.Duration{time.Nanosecond, 9*time.Hour + 20*time.Minute, 14 * time.Hour, 15 * time.Hour, 15*time.Hour + 15*time.Minute, 20 * time.Hour, 24 * time.Hour} {
			end := last.Time().Add(until.Truncate(15 * time.Minute))
			for _, shops := range [][]string{w.shops, w.shops[:1], w.shops[1:]} {
				for by, column := range groupings(db.Dialect()) {
					q := report.Query{Shops: shops, From: last, To: last + 1, By: []report.Dimension{by}, Until: last.Time().Add(until)}
					got := map[string]int64{}
					for _, row := range w.sums(q) {
						got[valueOf(by, row)] = row.Sales
					}
					require.Equal(t, w.until(column, last.Time(), end, shops, by == report.ByReason), got, "%s until %s in %d shops", by, until, len(shops))
				}
			}
		}
		q := report.Query{From: last, To: last + 1, Until: last.Time().Add(20 * time.Hour), By: []report.Dimension{report.ByShop}, Sums: []string{"price_micros"}}
		before := whole(w.sums(q)).PriceMicros
		require.Positive(t, before)
		var id string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT id FROM sales WHERE fulfilment = 'complete' AND recorded_at >= ? AND recorded_at < ? ORDER BY id LIMIT 1", last.Time(), q.Until).Scan(&id).Error)
		w.reverse(id)
		require.NoError(t, w.report.Refresh(t.Context()))
		require.Less(t, whole(w.sums(q)).PriceMicros, before)
	})
}

// until counts the sales themselves.
func (w *world) until(column string, from, to time.Time, shops []string, failed bool) map[string]int64 {
	w.t.Helper()
	where := ""
	if failed {
		where = failedOnly
	}
	var rows []struct {
		Value string
		Sales int64
	}
	require.NoError(w.t, w.db.Read(w.t.Context()).Raw("SELECT "+column+" AS value, COUNT(*) AS sales FROM sales WHERE recorded_at >= ? AND recorded_at < ? AND shop_id IN ?"+where+" GROUP BY 1", from, to, shops).Scan(&rows).Error)
	found := map[string]int64{}
	for _, r := range rows {
		found[r.Value] = r.Sales
	}
	return found
}

func TestGroupsInTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t), demodata.Plan{Sales: 800, Days: 70, Shops: 2, Seed: 6})
	require.NoError(t, w.report.Refresh(t.Context()))
	from, to := day(t, "2026-01-04"), day(t, "2026-03-15")
	all := whole(w.sums(report.Query{From: from, To: to}))
	require.EqualValues(t, 800, all.Sales)
	for _, by := range []report.Dimension{report.ByDay, report.ByMonth, report.BySlot} {
		rows := w.sums(report.Query{From: from, To: to, By: []report.Dimension{by}})
		require.Equal(t, all, whole(rows), by)
		for _, row := range rows {
			require.Equal(t, by != report.BySlot, row.Day != 0)
			if by == report.ByMonth {
				require.Equal(t, row.Day.Month(), row.Day)
			}
		}
	}
	reasons := whole(w.sums(report.Query{From: from, To: to, By: []report.Dimension{report.ByReason}}))
	require.Equal(t, all.Failed, reasons.Failed)
	filtered := w.sums(report.Query{From: from, To: to, By: []report.Dimension{report.ByProduct}, Only: map[report.Dimension]string{report.ByCountry: "NG"}})
	require.NotEmpty(t, filtered)
	for _, row := range filtered {
		require.Contains(t, []string{"KO", "PW"}, row.SKU[:2])
	}
}

func TestQuestionsThatHaveNoAnswer(t *testing.T) {
	t.Parallel()
	w := report.New(report.Deps{DB: storetest.New(t), Now: func() time.Time { return evening }})
	from, to := day(t, "2026-01-01"), day(t, "2026-03-01")
	for name, q := range map[string]report.Query{
		"ends before it starts": {From: to, To: from},
		"nothing":               {From: to, To: to},
		"before the calendar":   {From: from - 4000, To: to},
		"beyond the calendar":   {From: from, To: to + 40000},
		"a year by day":         {From: from - 365, To: to, By: []report.Dimension{report.ByDay}},
		"unknown grouping":      {From: from, To: to, By: []report.Dimension{"colour"}},
		"person and product":    {From: from, To: to, By: []report.Dimension{report.ByProduct}, Only: map[report.Dimension]string{report.ByCashier: "x"}},
	} {
		_, err := w.Sums(t.Context(), q)
		require.Equal(t, fault.Invalid, fault.KindOf(err), name)
		require.NotEmpty(t, fault.Message(err), name)
	}
}

func TestPreviewIsWhatTheRuleWouldHaveMade(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	w := newWorld(t, db, demodata.Plan{Sales: 700, Days: 14, Shops: 2, Seed: 8})
	prices := pricing.New(pricing.Deps{DB: db, Now: w.clock})
	w.report = report.New(report.Deps{DB: db, Now: w.clock, Pricing: prices})
	p, err := w.report.PreviewRule(t.Context(), pricing.Rule{Name: "Nigeria", Priority: 5, Country: "NG", Way: pricing.Fixed, Value: "0.40", FirstDay: "2026-03-20"})
	require.NoError(t, err)
	var plain struct{ Sales, Send, Paid int64 }
	require.NoError(t, db.Read(t.Context()).Raw(`SELECT COUNT(*) AS sales, CAST(SUM(actual_send_micros) AS BIGINT) AS send, CAST(SUM(price_micros) AS BIGINT) AS paid
		FROM sales WHERE country_iso = 'NG' AND fulfilment = 'complete' AND recorded_at >= ?`, evening.AddDate(0, 0, -7)).Scan(&plain).Error)
	require.Positive(t, plain.Sales)
	require.EqualValues(t, plain.Sales, p.Affected)
	require.Greater(t, p.Sales, p.Affected)
	require.Len(t, p.Sums, 1)
	require.Equal(t, plain.Paid, p.Sums[0].Paid.Micros())
	require.Equal(t, plain.Send+plain.Sales*400_000, p.Sums[0].WouldPay.Micros())
	is, would := p.Sums[0].Margins()
	require.Greater(t, p.Sums[0].Cost.Micros(), plain.Send/2)
	require.Equal(t, plain.Paid-p.Sums[0].Cost.Micros(), is.Micros())
	require.Equal(t, p.Sums[0].WouldPay.Micros()-p.Sums[0].Cost.Micros(), would.Micros())
	require.Len(t, p.Examples, min(int(plain.Sales), 10))
	below, err := w.report.PreviewRule(t.Context(), pricing.Rule{Name: "Cheap", Priority: 5, Way: pricing.Target, Value: "0.01"})
	require.NoError(t, err)
	require.Equal(t, below.Affected, below.Raised)
	_, err = w.report.PreviewRule(t.Context(), pricing.Rule{Name: "Nothing"})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

// TestMarginInAnotherCurrency: cost and mark-up are by the rate when it was sold, each
// sale's to the coin of the till.
func TestMarginInAnotherCurrency(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	w := newWorld(t, db, demodata.Plan{Sales: 60, Days: 3, Shops: 1, Seed: 8})
	w.exec("UPDATE sales SET price_currency = 'GBP'")
	w.exec("INSERT INTO exchange_rates (id, from_currency, to_currency, rate, valid_from, entered_by, entered_at) VALUES ('1', 'EUR', 'GBP', '0.8', ?, '', ?), ('2', 'EUR', 'GBP', '0.1', ?, '', ?)",
		evening.AddDate(0, 0, -30), evening, evening.AddDate(0, 0, 1), evening)
	require.NoError(t, w.report.Refresh(t.Context()))
	all := whole(w.sums(report.Query{From: day(t, "2026-03-01"), To: day(t, "2026-03-15")}))
	require.Positive(t, all.Complete)
	var sold []sales.Sale
	require.NoError(t, db.Read(t.Context()).Where("fulfilment = ? AND cash <> ? AND NOT practice AND recorded_at >= ? AND recorded_at < ?",
		sales.Complete, sales.CashRefunded, day(t, "2026-03-01").Time(), day(t, "2026-03-15").Time()).Find(&sold).Error)
	require.Len(t, sold, int(all.Complete))
	pence := func(micros int64) int64 { return (micros*8/10 + 5_000) / 10_000 * 10_000 }
	var markUp, margin int64
	for _, sale := range sold {
		markUp += sale.PriceMicros - pence(sale.ActualSendMicros)
		margin += sale.PriceMicros - pence(sale.ActualSendMicros+sale.ActualDistMicros-sale.CommissionMicros)
	}
	require.Equal(t, markUp, all.MarkUpMicros)
	require.Equal(t, margin, all.MarginMicros)
	require.Zero(t, all.MarginMicros%10_000, "whole pence")
}

// TestFiguresOfForeignSalesAreSummedAnew where such sales moved, and only there.
func TestFiguresOfForeignSalesAreSummedAnew(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 120, Days: 40, Shops: 2, Seed: 8})
		w.exec("UPDATE sales SET price_currency = 'GBP' WHERE shop_id = ?", w.shops[0])
		w.exec(`INSERT INTO exchange_rates (id, from_currency, to_currency, rate, valid_from, entered_by, entered_at)
			VALUES ('1', 'EUR', 'GBP', '0.8', ?, '', ?)`, evening.AddDate(0, 0, -60), evening)
		require.NoError(t, w.report.Rebuild(t.Context()))
		figures := func() []string { return w.lines("SELECT * FROM rollups") }
		right := figures()
		w.exec("UPDATE rollups SET mark_up_micros = 0, margin_micros = margin_micros + 1234 WHERE price_currency = 'GBP'")
		require.NotEqual(t, right, figures())
		require.NoError(t, w.report.Refresh(t.Context()))
		require.NotEqual(t, right, figures(), "nothing moved")
		w.exec("INSERT INTO rollup_moves (sale_id) SELECT id FROM sales WHERE price_currency <> send_currency")
		require.NoError(t, w.report.Refresh(t.Context()))
		require.Equal(t, right, figures())
	})
}

// TestARebuildForgetsAClockThatWasAhead, by which days had begun that are still to come and quarters of an hour were old.
func TestARebuildForgetsAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 200, Days: 12, Shops: 2, Seed: 8})
		require.NoError(t, w.report.Rebuild(t.Context()))
		lastWeek := func() []report.Row {
			return w.sums(report.Query{From: day(t, "2026-03-07"), To: day(t, "2026-03-08"), Until: w.clock().Add(-9 * time.Hour), Ago: 7})
		}
		right := lastWeek()
		require.NotEmpty(t, right)
		w.pass(40 * 24 * time.Hour)
		require.NoError(t, w.report.Refresh(t.Context()))
		w.pass(-40 * 24 * time.Hour)
		require.NotEqual(t, right, lastWeek())
		require.NoError(t, w.report.Rebuild(t.Context()))
		require.Equal(t, right, lastWeek())
	})
}

// TestARebuildIsSeenMoving on the board, and leaves it when it is done or cut.
func TestARebuildIsSeenMoving(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 60, Days: 200, Shops: 2, Seed: 2})
		watcher := jobstest.Watch(t, db)
		w.report.Uses().Board = watcher.Board
		require.NoError(t, w.report.Rebuild(t.Context()))
		signs := watcher.Moved(jobs.Rollups, 5)
		require.Less(t, signs[0].Total-signs[len(signs)-1].Done, int64(100), "up to the last step")
		require.ErrorIs(t, w.report.Rebuild(watcher.CutAfter(8)), context.Canceled)
		watcher.Moved(jobs.Rollups, 8)
	})
}
