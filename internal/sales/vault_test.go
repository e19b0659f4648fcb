package sales_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/signal"
	"airtill/internal/store"
	"airtill/internal/vault"
)

// soldPIN is a sale with a PIN in its sealed receipt.
func (w *world) soldPIN(validity string) (sale sales.Sale, pin string) {
	w.T.Helper()
	offer := w.PINOffer()
	o := apptest.Order("pin"+validity, offer)
	o.AccountNumber, o.Again = apiclient.DefaultPINAccountNumber, true
	sale = w.Becomes(w.Sell(o, offer).ID, sales.Complete, false)
	require.NoError(w.T, w.DB.Tx(w.T.Context(), func(tx *store.Tx) error {
		return tx.Exec("UPDATE sales SET validity = ? WHERE id = ?", validity, sale.ID).Error
	}))
	receipt, err := w.Sales.Receipt(sale)
	require.NoError(w.T, err)
	require.NotEmpty(w.T, receipt.PIN())
	return sale, receipt.PIN()
}

func TestVault_ReceiptsArePurgedWhenNobodyCanRedeemThemAnyMore(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		month, _ := w.soldPIN("P30D")
		year, pin := w.soldPIN("P1Y")
		kept := func(sale sales.Sale) bool { return w.Get(sale.ID).SealedReceipt != "" }
		for _, c := range []struct {
			after       time.Duration
			month, year bool
		}{
			{60 * 24 * time.Hour, true, true},   // the upstream's list tells it yet
			{3 * 24 * time.Hour, false, true},   // a month's product
			{300 * 24 * time.Hour, false, true}, // 363 days
			{4 * 24 * time.Hour, false, false},
		} {
			w.Pass(c.after)
			require.NoError(t, w.Sales.Purge(t.Context()))
			require.Equal(t, []bool{c.month, c.year}, []bool{kept(month), kept(year)})
		}
		gone, err := w.Sales.Receipt(w.Get(year.ID))
		require.NoError(t, err)
		require.Empty(t, gone.PIN())
		require.Equal(t, pin[len(pin)-4:], w.Get(year.ID).PINHint, "its last digits stay")
		entries, err := w.Audit.List(t.Context(), audit.Filter{Act: audit.ReceiptsPurged})
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
			return sales.New(sales.Deps{DB: db, Client: w.Client, Vault: vault, Audit: w.Audit, Bus: signal.NewMemory(), Process: "p", Now: w.Now, Log: slog.New(slog.DiscardHandler)})
		}
		_, err := with(fresh).Receipt(sale)
		require.ErrorContains(t, err, `vault key "k1" is not in the key file`)
		_, err = with(fresh).Rotate(t.Context(), audit.Command("test"), func(int) {})
		require.Error(t, err, "without the old key nothing can be rewrapped")

		both := with(fresh + "\n" + apptest.VaultKey)
		count, err := both.Rotate(t.Context(), audit.Command("test"), func(int) {})
		require.NoError(t, err)
		require.Equal(t, 1, count)
		count, err = both.Rotate(t.Context(), audit.Command("test"), func(int) {})
		require.NoError(t, err)
		require.Zero(t, count)
		receipt, err := with(fresh).Receipt(w.Get(sale.ID))
		require.NoError(t, err)
		require.Equal(t, pin, receipt.PIN())
		_, err = with(apptest.VaultKey).Receipt(w.Get(sale.ID))
		require.Error(t, err, "the old key opens it no more")
	})
}

// A change of keys that is killed in the middle leaves nothing shut, goes on where it
// stood, and does without the old key in the end.
func TestVault_ARotationThatIsKilledGoesOn(t *testing.T) {
	t.Parallel()
	const fresh = "k2:f00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale, pin := w.soldPIN("P30D")
		vaultOf := func(keys string) *vault.Vault {
			v, err := vault.New(keys)
			require.NoError(t, err)
			return v
		}
		old, both, young := vaultOf(apptest.VaultKey), vaultOf(fresh+"\n"+apptest.VaultKey), vaultOf(fresh)
		const bodies = 250
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			for n := range bodies {
				digest := fmt.Sprintf("%03d", n)
				body, err := old.Seal(digest, vault.Receipt{Text: digest})
				require.NoError(t, err)
				require.NoError(t, tx.Exec(`INSERT INTO webhooks (id, digest, received_at, signed_at, encrypted, ref, sale_id, verdict, sealed_body)
					VALUES (?, ?, ?, ?, FALSE, '', '', 'foreign', ?)`, digest, digest, w.Now(), w.Now(), body).Error)
			}
			return nil
		}))
		opened := func(v *vault.Vault) (open int) {
			var rows []struct{ Digest, SealedBody string }
			require.NoError(t, db.Read(t.Context()).Table("webhooks").Find(&rows).Error)
			for _, row := range rows {
				if receipt, err := v.Open(row.Digest, row.SealedBody); err == nil {
					require.Equal(t, row.Digest, receipt.Text)
					open++
				}
			}
			return open
		}
		rotate := func(ctx context.Context, told func(int)) error {
			service := sales.New(sales.Deps{DB: db, Client: w.Client, Vault: both, Audit: w.Audit, Bus: signal.NewMemory(), Process: "p", Now: w.Now, Log: slog.New(slog.DiscardHandler)})
			_, err := service.Rotate(ctx, audit.Command("test"), told)
			return err
		}
		ctx, kill := context.WithCancel(t.Context())
		require.Error(t, rotate(ctx, func(done int) {
			if done > 100 { // a receipt and a hundred webhooks
				kill()
			}
		}))
		require.Equal(t, 100, opened(young))
		require.Equal(t, bodies-100, opened(old))
		require.Equal(t, bodies, opened(both), "all is readable with both keys")
		receipt, err := both.Open(sale.ID, w.Get(sale.ID).SealedReceipt)
		require.NoError(t, err)
		var hash string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT serial_hash FROM sales WHERE id = ?", sale.ID).Scan(&hash).Error)
		require.Equal(t, young.SerialHash(receipt), hash, "its serial is found while others wait")

		var steps []int
		require.NoError(t, rotate(t.Context(), func(done int) { steps = append(steps, done) }))
		require.Equal(t, []int{100, 150}, steps, "it goes on where it stood")
		require.Equal(t, bodies, opened(young))
		require.Zero(t, opened(old))
		receipt, err = young.Open(sale.ID, w.Get(sale.ID).SealedReceipt)
		require.NoError(t, err)
		require.Equal(t, pin, receipt.PIN())
	})
}

// The PIN of a later attempt is another: nobody has seen it because they saw the one that was taken back.
func TestReveal_ThePINOfALaterAttemptWasShownToNobody(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale, first := w.soldPIN("")
		require.NoError(t, w.Sales.Reveal(t.Context(), sale.ID, w.Act()))
		for _, o := range []sales.Observation{
			{Cause: sales.Listed, State: sales.Failed}, {Cause: sales.Listed, State: sales.Failed}, {Cause: sales.Repaid},
		} {
			w.Pass(time.Minute)
			o.At = w.Now()
			_, err := w.Sales.Observe(t.Context(), sale.ID, o)
			require.NoError(t, err)
		}
		again, err := w.Sales.TryAgain(t.Context(), sale.ID, w.Act())
		require.NoError(t, err)
		w.Sales.Dispatch(again)
		sale = w.Becomes(sale.ID, sales.Complete, false)
		receipt, err := w.Sales.Receipt(sale)
		require.NoError(t, err)
		require.NotEqual(t, first, receipt.PIN())

		now, ever, err := w.Sales.Shown(t.Context(), sale.ID, "cashier")
		require.NoError(t, err)
		require.False(t, now || ever)
		require.NoError(t, w.Sales.Reveal(t.Context(), sale.ID, w.Act()), "no reason is asked for")
	})
}
