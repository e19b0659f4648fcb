package web

import (
	"fmt"
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
