package web

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestWhatTheNumberFieldCosts counts what the page with the field for a number asks of the database: whose numbers the
// recent sales went to is one question, however many they are.
func TestWhatTheNumberFieldCosts(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		if db.Dialect() == store.SQLite {
			t.Skip("nothing is counted")
		}
		b := newMarket(t, db)
		w := b.signIn(staff.Cashier)
		cost := func() int64 {
			w.get("/counter")
			before := db.Counts()
			w.get("/counter")
			return db.Counts().Sub(before).Statements
		}
		nothing := cost()
		for i := range 6 {
			w.sold(fmt.Sprintf("08712345%d", 60+i))
		}
		require.NoError(t, b.server.D.Sales.Drain(t.Context()))
		require.Equal(t, 6, w.get("/counter").page(t).Find(".recent-who").Length())
		t.Logf("%d, with six recent sales %d", nothing, cost())
		require.LessOrEqual(t, cost(), nothing+1)
	})
}

// TestWhatAManagersPagesCost counts what pages ask that show much of the same: the day's sums are one look at the
// rollups, people are asked for once.
func TestWhatAManagersPagesCost(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		if db.Dialect() == store.SQLite {
			t.Skip("nothing is counted")
		}
		b := newMarket(t, db)
		b.signIn(staff.Cashier).sellTopUp()
		require.NoError(t, b.server.D.Report.Refresh(t.Context()))
		w := b.signIn(staff.Manager)
		for page, most := range map[string]store.Counts{
			"/today": {Statements: 24, Trips: 28}, "/sales": {Statements: 8, Trips: 8},
		} {
			require.Equal(t, http.StatusOK, w.get(page).StatusCode)
			before := db.Counts()
			w.get(page)
			cost := db.Counts().Sub(before)
			t.Logf("%s: %+v", page, cost)
			require.LessOrEqual(t, cost.Statements, most.Statements, page)
			require.LessOrEqual(t, cost.Trips, most.Trips, page)
		}
	})
}
