package invariant

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestTheCheckReadsNoMoreThanItMust: a million sales are checked in a minute, which
// rests on these plans.
func TestTheCheckReadsNoMoreThanItMust(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.URL(t, store.SQLite)) // PostgreSQL reads small tables whole
	plan := func(sql string, args ...any) string {
		var steps []struct{ Detail string }
		require.NoError(t, db.Read(t.Context()).Raw("EXPLAIN QUERY PLAN "+sql, args...).Scan(&steps).Error)
		return fmt.Sprint(steps)
	}
	rest := plan("SELECT " + nothingOpen)
	for _, index := range []string{"sales_not_final", "sales_unsettled", "sales_owed"} {
		require.Contains(t, rest, index)
	}
	drawers := plan(fmt.Sprintf(drawersSQL, "s.id > ?"), "", "x")
	require.Contains(t, drawers, "postings_by_account (account=?)")
	require.Contains(t, drawers, "COVERING INDEX sales_by_shift")
	require.NotContains(t, drawers, "TEMP B-TREE")
	require.Contains(t, plan(shiftlessSQL), "SEARCH q USING COVERING INDEX postings_by_account (account>?)")
	histories := plan(fmt.Sprintf(historiesSQL, "s.id > ?"), "", "x")
	require.Contains(t, histories, "sale_events_1 (sale_id=?)")
	require.NotContains(t, strings.ToUpper(histories), "TEMP B-TREE")
	cash := plan(fmt.Sprintf(cashSQL, "s.id > ?"), "", "x")
	require.Contains(t, cash, "postings_by_sale (sale_id=?)")
	require.NotContains(t, cash, "TEMP B-TREE")
	stretch := map[string]any{"from": "", "to": "x", "ends": time.Time{}, "apart": ""}
	for _, lengths := range []bool{false, true} {
		require.Contains(t, plan(eventRows.text(lengths), stretch), "sale_events_1 (sale_id>? AND sale_id<?)")
		require.Contains(t, plan(postingRows.text(lengths), stretch), "INTEGER PRIMARY KEY (rowid>? AND rowid<?)")
	}
}
