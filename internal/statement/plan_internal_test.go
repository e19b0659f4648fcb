package statement

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

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
