package sales_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// However many sends the upstream leaves without an answer, the next sale does not wait.
func TestHangingSendsHoldUpNobody(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec("DELETE FROM sale_limits").Error }))
		t.Cleanup(w.Upstream.CloseClientConnections)
		const hanging = 300
		w.Fault(fmt.Sprintf(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"hang"},"times":%d}`, hanging))
		offer := w.TopUp()
		sell := func(i int) sales.Sale {
			order := apptest.Order(fmt.Sprint("hanging", i), offer)
			order.AccountNumber = fmt.Sprintf("35387%07d", i)
			return w.Sell(order, offer)
		}
		var last sales.Sale
		for i := range hanging {
			last = sell(i)
		}
		w.Becomes(last.ID, sales.Sending, false)
		require.Eventually(t, func() bool { // what is permitted has yet to arrive, in any order
			var seen struct {
				Faults []struct{ Fired int }
			}
			w.Call(http.MethodGet, "/_sandbox/faults", "", &seen)
			return seen.Faults[0].Fired == hanging
		}, time.Minute, 20*time.Millisecond)
		w.Becomes(sell(hanging).ID, sales.Complete, false)
	})
}
