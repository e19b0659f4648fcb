package reconcile_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/apptest"
	"airtill/internal/money"
	"airtill/internal/sales"
)

// Refunds of many sales come together, while others are under way all the time:
// no balance is ever quiet, and what was paid back is found all the same.
func TestRefundsOfManySalesAreFoundWhileTheShopIsBusy(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		var owed []sales.Sale
		var paid int64
		for i := range 7 {
			owed = append(owed, w.failBatch(fmt.Sprint("batch", i), "999"))
			paid += owed[i].ReceivableMicros
		}
		paid -= owed[0].ReceivableMicros
		w.payUpstream(money.Of(paid, "EUR").Decimal(2))
		for i := range 4 { // a difference is believed when it is seen twice, with a look at the records between
			w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}`)
			offer := w.TopUp()
			o := apptest.Order(fmt.Sprint("open", i), offer)
			o.Again = true
			busy := w.Sell(o, offer)
			w.Becomes(busy.ID, sales.Unknown, false)
			w.balance()
			w.Pass(10 * time.Second)
			w.Becomes(busy.ID, sales.Complete, true)
		}
		require.Empty(t, w.unresolved())
		var left int64
		for _, sale := range owed {
			now, err := w.Sales.Get(t.Context(), sale.ID, "")
			require.NoError(t, err)
			left += now.ReceivableMicros
		}
		require.Equal(t, owed[0].ReceivableMicros, left, "one is still owed")
		oldest, err := w.Sales.Get(t.Context(), owed[0].ID, "")
		require.NoError(t, err)
		require.NotZero(t, oldest.ReceivableMicros, "what comes is taken for the newest: it pays when a transfer fails")
	})
}
