package sales_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// moved sets columns of a sale's row as a later look would find them.
func (w *world) moved(id, set string, args ...any) {
	w.T.Helper()
	require.NoError(w.T, w.DB.Tx(w.T.Context(), func(tx *store.Tx) error {
		return tx.Exec("UPDATE sales SET "+set+" WHERE id = ?", append(args, id)...).Error
	}))
}

func (w *world) tray() (ids []string) {
	w.T.Helper()
	found, err := w.Sales.Tray(w.T.Context(), "till", false)
	require.NoError(w.T, err)
	for _, sale := range found {
		ids = append(ids, sale.ID)
	}
	return ids
}

func TestTray_HoldsWhatMustNotBeLostSightOf(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Complete, false)
		require.Empty(t, w.tray(), "what went at once needs no report")

		w.moved(sale.ID, "fulfilment = 'unknown', final_at = NULL, next_check_at = ?", store.Moment(w.Now().Add(time.Hour)))
		require.Equal(t, []string{sale.ID}, w.tray(), "what is open, however long")
		other, err := w.Sales.Tray(t.Context(), "another", false)
		require.NoError(t, err)
		require.Empty(t, other)
		practice, err := w.Sales.Tray(t.Context(), "till", true)
		require.NoError(t, err)
		require.Empty(t, practice)

		ended := w.Get(sale.ID).AttemptAt.Add(11 * time.Second)
		w.Pass(11 * time.Second)
		w.moved(sale.ID, "fulfilment = 'complete', next_check_at = NULL, final_at = ?", store.Moment(ended))
		require.Equal(t, []string{sale.ID}, w.tray(), "somebody waited for it")
		w.moved(sale.ID, "final_at = ?", store.Moment(ended.Add(-time.Second)))
		require.Empty(t, w.tray(), "its own page told it")
		w.moved(sale.ID, "final_at = ?", store.Moment(ended))
		w.Pass(2 * time.Minute)
		require.Empty(t, w.tray(), "an end is news for two minutes")

		w.moved(sale.ID, "fulfilment = 'failed', cash = 'refund_due'")
		require.Equal(t, []string{sale.ID}, w.tray(), "cash that is due back is longer")
		w.Pass(24 * time.Hour)
		require.Empty(t, w.tray(), "and then it is the shift's and the list's")
	})
}

func TestTray_IsInTheOrderOfTheSales(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.TopUp()
	var want []string
	for _, key := range []string{"1", "2", "3"} {
		o := apptest.Order(key, offer)
		o.AccountNumber = "35387111111" + key
		sale := w.Becomes(w.Sell(o, offer).ID, sales.Complete, false)
		want = append(want, sale.ID)
	}
	w.moved(want[0], "fulfilment = 'failed', cash = 'refund_due'")
	w.moved(want[1], "fulfilment = 'unknown', final_at = NULL, next_check_at = ?", store.Moment(w.Now().Add(time.Hour)))
	w.moved(want[2], "fulfilment = 'failed', cash = 'refund_due'")
	require.Equal(t, want, w.tray())
}

// TestTray_OpenSalesAreNeverCrowdedOut: neither by sales that went at once nor by cash that is due back.
func TestTray_OpenSalesAreNeverCrowdedOut(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		var last string
		for i := range 52 {
			o := apptest.Order(fmt.Sprintf("%02d", i), offer)
			o.AccountNumber = fmt.Sprintf("3538712345%02d", i)
			last = w.Becomes(w.Sell(o, offer).ID, sales.Complete, false).ID
		}
		w.moved(last, "fulfilment = 'unknown', final_at = NULL, next_check_at = ?", store.Moment(w.Now().Add(time.Hour)))
		require.Equal(t, []string{last}, w.tray())

		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("UPDATE sales SET fulfilment = 'failed', cash = 'refund_due' WHERE id <> ?", last).Error
		}))
		held := w.tray()
		require.Len(t, held, 50)
		require.Equal(t, last, held[49])
		require.True(t, slices.IsSorted(held))
	})
}

func TestOwedBack_AddsUpByCurrency(t *testing.T) {
	t.Parallel()
	sale := func(price money.Amount, cash sales.Cash) (s sales.Sale) {
		s.Cash, s.PriceMicros, s.PriceCurrency = cash, price.Micros(), price.Currency()
		return s
	}
	eur, kes := money.MustParse("5.10", "EUR"), money.MustParse("150", "KES")
	owed, err := sales.OwedBack([]sales.Sale{
		sale(eur, sales.CashRefundDue), sale(kes, sales.CashRefundDue), sale(eur, sales.CashRefunded), sale(eur, sales.CashRefundDue),
	})
	require.NoError(t, err)
	require.Equal(t, []money.Amount{money.MustParse("10.20", "EUR"), kes}, owed)
	none, err := sales.OwedBack([]sales.Sale{sale(eur, sales.CashTaken)})
	require.NoError(t, err)
	require.Empty(t, none)
	most := money.Of(1<<62, "EUR")
	_, err = sales.OwedBack([]sales.Sale{sale(most, sales.CashRefundDue), sale(most, sales.CashRefundDue)})
	require.ErrorContains(t, err, "cash that is due back")
}
