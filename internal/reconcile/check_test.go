package reconcile_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// lookIfDue says whether the records were looked at.
func (w *world) lookIfDue() bool {
	w.t.Helper()
	runs := func() (n int64) {
		require.NoError(w.t, w.db.Read(w.t.Context()).Raw("SELECT COUNT(*) FROM reconcile_runs WHERE what = 'records'").Scan(&n).Error)
		return n
	}
	before := runs()
	require.NoError(w.t, w.books.LookIfDue(w.t.Context()))
	return runs() > before
}

// TestManySendsMakeALookDueSooner: the list reaches 600 transfers back, so what is sold
// between two looks must be less, and looks are tried ten minutes apart. What was only
// recorded is on no list.
func TestManySendsMakeALookDueSooner(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		offer := w.topUp()
		require.True(t, w.lookIfDue(), "there was none")
		sold, sent := 0, 0
		sell := func(n int, send bool) {
			for range n {
				o := order(fmt.Sprint("many", sold), offer)
				o.AccountNumber, o.Again = fmt.Sprintf("35387123%04d", sold), true
				sale, _, err := w.sales.Sell(t.Context(), w.seller, o, offer)
				require.NoError(t, err)
				if sold++; send {
					sent++
					w.sales.Dispatch(sale)
				}
			}
			require.Eventually(t, func() bool {
				var complete int
				require.NoError(t, w.db.Read(t.Context()).Raw("SELECT COUNT(*) FROM sales WHERE fulfilment = 'complete'").Scan(&complete).Error)
				return complete == sent
			}, waitFor, 20*time.Millisecond)
		}
		w.pass(time.Second)
		sell(249, true)
		require.False(t, w.lookIfDue(), "249 sends in the hour")
		sell(1, false)
		require.False(t, w.lookIfDue(), "what was not sent")
		sell(1, true)
		require.True(t, w.lookIfDue(), "250 sends")
		w.pass(time.Second)
		require.False(t, w.lookIfDue(), "from the look on it is counted anew")
		w.pass(time.Hour)
		require.True(t, w.lookIfDue(), "an hour later, whatever was sent")
	})
}
