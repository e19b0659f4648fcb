package web

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestAnOwnersTodayIsTheirShops: who belongs to no shop has no clock of their own, and that of the world is nobody's. At
// noon of it, it is morning of the next day on Kiritimati; what is sold there then is today's.
func TestAnOwnersTodayIsTheirShops(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("UPDATE shops SET zone = 'Pacific/Kiritimati'").Error
	}))
	cashier := b.atTill(staff.Cashier)
	b.becomes(cashier.sellTopUp(), sales.Complete)
	require.NoError(t, b.server.D.Report.Rebuild(t.Context()))

	today := b.signIn(staff.Finance).get("/today").page(t)
	require.Contains(t, squeezed(today.Find("#today .sellers").Text()), "Till 1 · since 02:00 €10.46 Sales: 1")
	link, _ := today.Find("#today .figure a").First().Attr("href")
	require.Contains(t, link, "from=2026-03-02&to=2026-03-02")
	b.pass(1)

	_, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "A later one", Zone: "Europe/Paris", Country: "FR", Currency: "EUR", Tills: 1})
	require.NoError(t, err)
	require.Contains(t, squeezed(b.signIn(staff.Finance).get("/today").page(t).Find("#today .sellers").Text()), "since 02:00", "the oldest shop's")
	_, _, err = b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "Another", Zone: "Europe/Paris", Country: "FR", Currency: "EUR", Tills: 1})
	require.NoError(t, err)
	require.Contains(t, squeezed(b.signIn(staff.Finance).get("/today").page(t).Find("#today .sellers").Text()), "since 13:00", "most shops'")
}
