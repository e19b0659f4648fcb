package reconcile_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/sales"
	"airtill/internal/signal"
	"airtill/internal/store"
	"airtill/internal/storetest"
	"airtill/internal/vault"
)

// soldPIN is a sale with a PIN in its sealed receipt.
func (w *world) soldPIN(validity string) (sale sales.Sale, pin string) {
	w.t.Helper()
	offer := w.pinOffer()
	offer.Validity = validity
	o := order("pin"+validity, offer)
	o.AccountNumber, o.Again = pinNumber, true
	sale = w.becomes(w.sell(o, offer).ID, sales.Complete, false)
	receipt, err := w.sales.Receipt(sale)
	require.NoError(w.t, err)
	require.NotEmpty(w.t, receipt.PIN())
	return sale, receipt.PIN()
}

func TestVault_ReceiptsArePurgedWhenNobodyCanRedeemThemAnyMore(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		month, _ := w.soldPIN("P30D")
		year, pin := w.soldPIN("P1Y")
		kept := func(sale sales.Sale) bool { return w.get(sale.ID).SealedReceipt != "" }
		for _, c := range []struct {
			after       time.Duration
			month, year bool
		}{
			{60 * 24 * time.Hour, true, true},   // the upstream's list tells it yet
			{3 * 24 * time.Hour, false, true},   // a month's product
			{300 * 24 * time.Hour, false, true}, // 363 days
			{4 * 24 * time.Hour, false, false},
		} {
			w.pass(c.after)
			require.NoError(t, w.sales.Purge(t.Context()))
			require.Equal(t, []bool{c.month, c.year}, []bool{kept(month), kept(year)})
		}
		gone, err := w.sales.Receipt(w.get(year.ID))
		require.NoError(t, err)
		require.Empty(t, gone.PIN())
		require.Equal(t, pin[len(pin)-4:], w.get(year.ID).PINHint, "its last digits stay")
		entries, err := w.audit.List(t.Context(), audit.Filter{Action: "receipts.purged"})
		require.NoError(t, err)
		require.Len(t, entries, 2)
	})
}

func TestVault_ANewKeyTakesOverAndTheOldOneCanGo(t *testing.T) {
	t.Parallel()
	const fresh = "k2:f00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale, pin := w.soldPIN("P30D")
		with := func(keys string) *sales.Service {
			vault, err := vault.New(keys)
			require.NoError(t, err)
			return sales.New(sales.Deps{DB: db, Ledger: w.ledger, Client: w.client, Vault: vault, Audit: w.audit, Bus: signal.NewMemory(), Process: "p", Now: w.now, Log: slog.New(slog.DiscardHandler)})
		}
		_, err := with(fresh).Receipt(sale)
		require.ErrorContains(t, err, `vault key "k1" is not in the key file`)
		_, err = with(fresh).Rewrap(t.Context(), audit.Command("test"))
		require.Error(t, err, "without the old key nothing can be rewrapped")

		both := with(fresh + "\n" + vaultKey)
		count, err := both.Rewrap(t.Context(), audit.Command("test"))
		require.NoError(t, err)
		require.Equal(t, 1, count)
		count, err = both.Rewrap(t.Context(), audit.Command("test"))
		require.NoError(t, err)
		require.Zero(t, count)
		receipt, err := with(fresh).Receipt(w.get(sale.ID))
		require.NoError(t, err)
		require.Equal(t, pin, receipt.PIN())
		_, err = with(vaultKey).Receipt(w.get(sale.ID))
		require.Error(t, err, "the old key opens it no more")
	})
}
