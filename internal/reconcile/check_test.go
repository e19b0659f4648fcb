package reconcile_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/apptest"
	"airtill/internal/sales"
)

// lookIfDue says whether the records were looked at.
func (w *world) lookIfDue() bool {
	w.T.Helper()
	runs := func() (n int64) {
		require.NoError(w.T, w.DB.Read(w.T.Context()).Raw("SELECT COUNT(*) FROM reconcile_runs WHERE what = 'records'").Scan(&n).Error)
		return n
	}
	before := runs()
	require.NoError(w.T, w.Reconcile.LookIfDue(w.T.Context()))
	return runs() > before
}

// TestManySendsMakeALookDueSooner: the list reaches 600 transfers back, so what is sold
// between two looks must be less, and looks are tried ten minutes apart. What was only
// recorded is on no list.
func TestManySendsMakeALookDueSooner(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		offer := w.TopUp()
		require.True(t, w.lookIfDue(), "there was none")
		sold, sent := 0, 0
		sell := func(n int, send bool) {
			for range n {
				o := apptest.Order(fmt.Sprint("many", sold), offer)
				o.AccountNumber, o.Again = fmt.Sprintf("35387123%04d", sold), true
				sale, _, err := w.Try(o, offer)
				require.NoError(t, err)
				if sold++; send {
					sent++
					w.Sales.Dispatch(sale)
				}
			}
			require.Eventually(t, func() bool {
				var complete int
				require.NoError(t, w.DB.Read(t.Context()).Raw("SELECT COUNT(*) FROM sales WHERE fulfilment = 'complete'").Scan(&complete).Error)
				return complete == sent
			}, apptest.Patience, 20*time.Millisecond)
		}
		w.Pass(time.Second)
		sell(249, true)
		require.False(t, w.lookIfDue(), "249 sends in the hour")
		sell(1, false)
		require.False(t, w.lookIfDue(), "what was not sent")
		sell(1, true)
		require.True(t, w.lookIfDue(), "250 sends")
		w.Pass(time.Second)
		require.False(t, w.lookIfDue(), "from the look on it is counted anew")
		w.Pass(time.Hour)
		require.True(t, w.lookIfDue(), "an hour later, whatever was sent")
	})
}

// TestDrawersAreLookedAtThoughTheRecordsWere: a balance that differs has the records looked at, time and again.
func TestDrawersAreLookedAtThoughTheRecordsWere(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		require.True(t, w.lookIfDue())
		for range 3 {
			w.Pass(40 * time.Minute)
			_, err := w.Reconcile.LookAtRecords(t.Context(), "", false)
			require.NoError(t, err)
			require.False(t, w.lookIfDue(), "the records were looked at")
		}
		run, err := w.Reconcile.LastRun(t.Context(), "drawers")
		require.NoError(t, err)
		require.WithinDuration(t, w.Now(), run.BeganAt, time.Hour)
	})
}

// TestPracticeIsNotUnderWay: it moves nothing, so a balance told meanwhile is told at rest.
func TestPracticeIsNotUnderWay(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.Call(http.MethodPut, "/_sandbox/config", `{"batchDelay":"1h"}`, nil)
		w.Practise(w.BatchOffer(), 0, sales.Submitted)
		told, err := w.Reconcile.ReadBalance(t.Context())
		require.NoError(t, err)
		require.Zero(t, told.OpenSales)
	})
}
