package web

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/internal/storetest"
)

// TestWhatASaleCosts counts what the pages of one sale and its send ask of the
// database. It may become less, never more.
func TestWhatASaleCosts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		if db.Dialect() == store.SQLite {
			t.Skip("nothing is counted")
		}
		b := newMarket(t, db)
		w := b.signIn(staff.Cashier)
		for _, number := range []string{"0871234501", "0871234502", "0871234503"} {
			b.becomes(w.sellTo(number), sales.Complete)
		}
		const number = "0871234504"
		var whole store.Counts
		cost := func(page string, ask func()) {
			before := db.Counts()
			ask()
			took := db.Counts().Sub(before)
			whole = store.Counts{
				Commits: whole.Commits + took.Commits, Statements: whole.Statements + took.Statements, Trips: whole.Trips + took.Trips,
			}
			t.Logf("%-10s %+v", page, took)
		}
		var offers, confirm answer
		var sale string
		cost("look-up", func() { offers = w.get("/counter?number=" + number) })
		sku := fixed(t, offers)
		cost("confirm", func() { confirm = w.get("/counter?number=" + number + "&sku=" + sku) })
		form := confirmed(t, confirm)
		cost("sale", func() {
			got := w.post("/sales", form)
			require.Equal(t, http.StatusSeeOther, got.StatusCode, got.body)
			sale = got.Header.Get("Location")
			require.NoError(t, b.server.d.Sales.Drain(t.Context()))
		})
		cost("outcome", func() { require.Contains(t, w.get(sale).body, "Sent.") })
		t.Logf("%-10s %+v", "whole", whole)
	})
}
