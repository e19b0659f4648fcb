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

// TestWhatTheListOfSalesCosts counts what a manager's list asks: for its names and for its form, people are one question.
func TestWhatTheListOfSalesCosts(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		if db.Dialect() == store.SQLite {
			t.Skip("nothing is counted")
		}
		b := newMarket(t, db)
		b.signIn(staff.Cashier).sellTopUp()
		w := b.signIn(staff.Manager)
		require.Equal(t, http.StatusOK, w.get("/sales").StatusCode)
		before := db.Counts()
		w.get("/sales")
		cost := db.Counts().Sub(before)
		t.Logf("%+v", cost)
		require.LessOrEqual(t, cost.Statements, int64(8))
		require.LessOrEqual(t, cost.Trips, int64(8))
	})
}

// TestWhatATillToStandAtCosts: at which tills somebody works is one question, at the sign-in and on the page of the
// tills, however many the shop has.
func TestWhatATillToStandAtCosts(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		if db.Dialect() == store.SQLite {
			t.Skip("nothing is counted")
		}
		b := newMarket(t, db)
		cost := func() (signIn, page int64) {
			before := db.Counts()
			w := b.signIn(staff.Cashier)
			signIn = db.Counts().Sub(before).Statements
			before = db.Counts()
			require.Equal(t, http.StatusOK, w.get("/till").StatusCode)
			return signIn, db.Counts().Sub(before).Statements
		}
		signIn, page := cost()
		for range 20 {
			_, err := b.staff.AddTill(t.Context(), setup, staff.Till{ShopID: b.shop.ID})
			require.NoError(t, err)
		}
		signInOfMany, pageOfMany := cost()
		t.Logf("sign-in %d and page %d, of many tills %d and %d", signIn, page, signInOfMany, pageOfMany)
		require.LessOrEqual(t, signInOfMany, signIn+2)
		require.LessOrEqual(t, pageOfMany, page+2)
	})
}
