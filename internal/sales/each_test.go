package sales_test

import (
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/demodata"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
)

// traded are two shops' sales of five days, in an order of time.
func traded(t *testing.T, db *store.DB, count int) *sales.Service {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 3, 14, 16, 30, 0, 0, time.UTC) }
	log := slog.New(slog.DiscardHandler)
	people := staff.New(staff.Deps{DB: db, Now: now, Audit: audit.New(audit.Deps{DB: db, Now: now, Log: log}), Log: log, Hashing: stafftest.Hashing()})
	plan := demodata.Plan{Sales: count, Days: 5, Shops: 2, Seed: 1, Bare: true}
	g, err := demodata.New(demodata.Deps{DB: db, Staff: people, Now: now, Log: log}, plan)
	require.NoError(t, err)
	require.NoError(t, g.Generate(t.Context()))
	return sales.New(sales.Deps{DB: db})
}

// TestEachVisitsEverySaleInOrder, over more than one page, and none after the
// visitor breaks off.
func TestEachVisitsEverySaleInOrder(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := traded(t, db, 2300)
		last, n := "", 0
		for sale, err := range s.Each(t.Context(), sales.Filter{}) {
			require.NoError(t, err)
			require.Greater(t, sale.ID, last)
			last, n = sale.ID, n+1
		}
		require.Equal(t, 2300, n)
		for _, err := range s.Each(t.Context(), sales.Filter{}) {
			require.NoError(t, err)
			n++
			break
		}
		require.Equal(t, 2301, n)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			const sql = "UPDATE sales SET fulfilment = 'failed', cash = 'refund_due', practice = (id = ?) WHERE id >= " +
				"(SELECT id FROM sales ORDER BY id DESC LIMIT 1 OFFSET 2)"
			return tx.Exec(sql, last).Error
		}))
		var owed []string
		for sale, err := range s.Each(t.Context(), sales.Filter{Owed: true}) {
			require.NoError(t, err)
			owed = append(owed, sale.ID)
		}
		require.Len(t, owed, 2, "without practice")
		require.IsIncreasing(t, owed)
	})
}

// TestEachReadsARowOnce: whatever is asked for, a page reads a thousand rows, or as many
// as a shop's thousand lie among, and sorts none that it does not hold. It takes two
// questions, and what fits is visited once. (A page that sorts what is left of two hundred
// thousand rows reads a hundred thousand, two hundred times.)
func TestEachReadsARowOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const count = 5400
		s := traded(t, db, count)
		all := map[string]sales.Sale{}
		for sale, err := range s.Each(t.Context(), sales.Filter{}) {
			require.NoError(t, err)
			all[sale.ID] = sale
		}
		require.Len(t, all, count)
		if db.Dialect() == store.Postgres { // which it does by itself in time
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				storetest.AsOwner(t, tx)
				return tx.Exec("ANALYZE sales").Error
			}))
		}
		asked := storetest.Recorded(t, db)
		some := all[slices.Min(slices.Collect(maps.Keys(all)))]
		day := some.RecordedAt.Truncate(24 * time.Hour)
		span := sales.Span{Shops: []string{some.ShopID}, From: day, To: day.Add(12 * time.Hour)}
		type filter = sales.Filter
		for name, x := range map[string]struct {
			filter filter
			fits   func(sales.Sale) bool
		}{
			"all":     {filter{From: day.AddDate(0, 0, -9), To: day.AddDate(0, 0, 9)}, func(sales.Sale) bool { return true }},
			"shop":    {filter{ShopID: some.ShopID}, func(o sales.Sale) bool { return o.ShopID == some.ShopID }},
			"till":    {filter{TillID: some.TillID}, func(o sales.Sale) bool { return o.TillID == some.TillID }},
			"cashier": {filter{CashierID: some.CashierID}, func(o sales.Sale) bool { return o.CashierID == some.CashierID }},
			"product": {filter{SKUCode: some.SKUCode}, func(o sales.Sale) bool { return o.SKUCode == some.SKUCode }},
			"complete": {filter{States: []sales.State{sales.Complete}, Sold: true}, func(o sales.Sale) bool {
				return o.Fulfilment == sales.Complete
			}},
			"currency":  {filter{Currency: "XXX"}, func(sales.Sale) bool { return false }},
			"practice":  {filter{Practice: true}, func(sales.Sale) bool { return false }},
			"no reason": {filter{Reason: sales.NoReason}, func(o sales.Sale) bool { return o.ReasonCode == "" }},
			"waiting":   {filter{Waiting: true}, func(o sales.Sale) bool { return o.Fulfilment.Open() }},
			"spans": {filter{Spans: []sales.Span{span}}, func(o sales.Sale) bool {
				return o.ShopID == some.ShopID && !o.RecordedAt.Before(span.From) && o.RecordedAt.Before(span.To)
			}},
		} {
			expected := 0
			for _, sale := range all {
				if x.fits(sale) {
					expected++
				}
			}
			*asked = nil
			n, last := 0, ""
			for sale, err := range s.Each(t.Context(), x.filter) {
				require.NoError(t, err)
				require.Greater(t, sale.ID, last, name)
				require.True(t, x.fits(sale), name)
				n, last = n+1, sale.ID
			}
			require.Equal(t, expected, n, name)
			require.LessOrEqual(t, len(*asked), 2*(count/1000+1), name)
			for _, q := range slices.Clone(*asked) {
				cheap(t, db, name, q)
			}
		}
	})
}

var rowsRead = regexp.MustCompile(`Scan[^(]* on sales .*\(actual [^)]*rows=(\d+)|Rows Removed by Filter: (\d+)`)

// cheap has the database say how it answers. PostgreSQL reads a small table whole unless
// it is told that it must not.
func cheap(t *testing.T, db *store.DB, name string, q store.Query) {
	t.Helper()
	var lines []string
	if db.Dialect() == store.SQLite {
		var steps []struct{ Detail string }
		require.NoError(t, db.Read(t.Context()).Raw("EXPLAIN QUERY PLAN "+q.SQL, q.Args...).Scan(&steps).Error)
		for _, step := range steps {
			lines = append(lines, step.Detail)
		}
	} else {
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			if err := tx.Exec("SET LOCAL enable_seqscan = off").Error; err != nil {
				return err
			}
			return tx.Raw("EXPLAIN (ANALYZE, TIMING OFF) "+q.SQL, q.Args...).Scan(&lines).Error
		}))
	}
	plan, read := strings.Join(lines, "\n"), 0
	plan = strings.ReplaceAll(plan, "SCAN sales USING INDEX sales_not_final", "") // of those alone
	require.NotContains(t, plan, "SCAN sales", "%s: %s\n%s", name, q.SQL, plan)
	for _, found := range rowsRead.FindAllStringSubmatch(plan, -1) {
		n, err := strconv.Atoi(found[1] + found[2])
		require.NoError(t, err)
		read += n
	}
	require.LessOrEqual(t, read, 3000, "%s: %s\n%s", name, q.SQL, plan)
	if strings.Contains(plan, "TEMP B-TREE") { // of what a page holds, and of no table
		require.Contains(t, plan, "SCAN page", "%s: %s\n%s", name, q.SQL, plan)
	}
}
