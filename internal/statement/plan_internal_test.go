package statement

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/store"
	"airtill/internal/storetest"
)

// TestADayIsReadByItsPostings, and not by all that its shops ever sold.
func TestADayIsReadByItsPostings(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.URL(t, store.SQLite)) // PostgreSQL reads small tables whole
	args := map[string]any{"low": 1, "high": 2, "last": 1, "from": "2026", "to": "2027", "shops": []string{"a", "b"}}
	for _, sql := range []string{linesSQL, lateSQL} {
		var steps []struct{ Detail string }
		require.NoError(t, db.Read(t.Context()).Raw("EXPLAIN QUERY PLAN "+sql, args).Scan(&steps).Error)
		require.Contains(t, fmt.Sprint(steps), "SEARCH p USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)} {SEARCH s USING INDEX sqlite_autoindex_sales_1 (id=?)")
		require.NotContains(t, fmt.Sprint(steps), "by_shop")
	}
}
