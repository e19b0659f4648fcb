package statement

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestADayIsReadByItsSalesAndPostings, and not by all that its shops ever sold.
func TestADayIsReadByItsSalesAndPostings(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.URL(t, store.SQLite)) // PostgreSQL reads small tables whole
	args := map[string]any{"low": 1, "high": 2, "last": 1, "from": "2026", "to": "2027", "first": "01A", "end": "01B", "sale": "01A", "next": "01B", "shops": []string{"a", "b"}}
	byPosting := "SEARCH p USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)} {SEARCH s USING INDEX sqlite_autoindex_sales_1 (id=?)"
	for sql, plan := range map[string]string{
		soldSQL:    "SEARCH s USING INDEX sqlite_autoindex_sales_1 (id>? AND id<?)} {SEARCH p USING INDEX postings_by_sale (sale_id=?",
		othersSQL:  byPosting,
		lateSQL:    byPosting,
		drawersSQL: "SEARCH p USING INDEX postings_by_sale (sale_id=? AND rowid>? AND rowid<?)} {SEARCH h USING INDEX sqlite_autoindex_shifts_1 (id=?)",
	} {
		var steps []struct{ Detail string }
		require.NoError(t, db.Read(t.Context()).Raw("EXPLAIN QUERY PLAN "+sql, args).Scan(&steps).Error)
		require.Contains(t, fmt.Sprint(steps), plan)
		require.NotContains(t, fmt.Sprint(steps), "by_shop")
	}
}

// TestAPageOfStatementsIsReadFromItsPlace: whichever page it is, the list reads what it shows, from an index, and sorts
// nothing.
func TestAPageOfStatementsIsReadFromItsPlace(t *testing.T) {
	t.Parallel()
	all := map[store.Dialect]string{
		store.SQLite:   "SEARCH statements USING INDEX statements_by_day (day>? AND (day,shop_id)<(?,?))",
		store.Postgres: "Index Scan Backward using statements_by_day on statements",
	}
	own := map[store.Dialect]string{
		store.SQLite:   "SEARCH statements USING INDEX sqlite_autoindex_statements_3 (shop_id=? AND day>? AND day<?)",
		store.Postgres: "Index Scan Backward using statements_shop_id_day_key on statements",
	}
	const march, place = "2026-03", "2026-03-12/01ABC"
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for _, c := range []struct {
			Filter
			plan map[store.Dialect]string
		}{
			{Filter{Month: march, Limit: 100}, all},
			{Filter{Month: march, Below: place, Limit: 100}, all},
			{Filter{ShopID: "01ABC", Month: march, Below: place, Limit: 100}, own},
		} {
			query := db.Read(t.Context()).ToSQL(func(tx *gorm.DB) *gorm.DB { return c.apply(tx).Find(&[]Statement{}) })
			plan := storetest.Plan(t, db, query)
			require.Contains(t, plan, c.plan[db.Dialect()])
			require.NotRegexp(t, "OFFSET|B-TREE|Sort", query+plan)
			if db.Dialect() == store.Postgres {
				require.Contains(t, plan, "(ROW(day, shop_id) < ROW(", "the pages before are not read again")
				require.NotContains(t, plan, "Filter:")
			}
		}
	})
}
