package sales_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// TestPractice_NeverTouchesTheBooks takes every path with a product's test
// number: no posting, no cash in the drawer, no claim on the upstream, no
// incident, no total.
func TestPractice_NeverTouchesTheBooks(t *testing.T) {
	t.Parallel()
	paths := map[string]func(w *world){
		"sold": func(w *world) { w.Practise(w.TopUp(), 0, sales.Complete) },
		"refused by each outcome a test number can pick": func(w *world) {
			for digit := 1; digit <= 9; digit++ {
				w.Practise(w.TopUp(), digit, sales.Failed)
			}
		},
		"refunded": func(w *world) {
			sale := w.Practise(w.TopUp(), 5, sales.Failed)
			_, err := w.Sales.Refund(w.T.Context(), sale.ID, w.Act())
			require.NoError(w.T, err)
			require.Equal(w.T, sales.CashRefunded, w.Get(sale.ID).Cash)
			alone, counted, err := w.Sales.NeedsNoManager(w.T.Context(), sale.ID, "cashier")
			require.NoError(w.T, err)
			require.Equal(w.T, []bool{true, false}, []bool{alone, counted})
			sale, err = w.Sales.NotGivenBack(w.T.Context(), sale.ID, w.Act())
			require.NoError(w.T, err)
			require.Equal(w.T, sales.CashRefundDue, sale.Cash)
		},
		"tried again": func(w *world) {
			sale := w.Practise(w.TopUp(), 5, sales.Failed)
			w.Pass(time.Minute)
			again, err := w.Sales.TryAgain(w.T.Context(), sale.ID, w.Act())
			require.NoError(w.T, err)
			require.Equal(w.T, 2, again.Attempt)
			w.Sales.Dispatch(again)
			w.Becomes(sale.ID, sales.Failed, true)
		},
		"a PIN shown": func(w *world) {
			sale := w.Practise(w.PINOffer(), 0, sales.Complete)
			require.NoError(w.T, w.Sales.Reveal(w.T.Context(), sale.ID, w.Act()))
		},
		"cancelled": func(w *world) {
			w.Call("PUT", "/_sandbox/config", `{"batchDelay":"1h"}`, nil)
			sale := w.Practise(w.BatchOffer(), 0, sales.Submitted)
			sale, err := w.FollowUp.Cancel(w.T.Context(), sale.ID, w.Act())
			require.NoError(w.T, err)
			require.Equal(w.T, sales.Cancelled, sale.Fulfilment)
			require.Zero(w.T, sale.ReceivableMicros)
		},
		"called off": func(w *world) {
			sale, _, err := w.Try(apptest.TestOrder(w.TopUp(), 0), w.TopUp())
			require.NoError(w.T, err)
			_, err = w.FollowUp.Cancel(w.T.Context(), sale.ID, w.Act())
			require.NoError(w.T, err)
		},
		"refunded while unknown, then complete": func(w *world) {
			w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}`)
			sale := w.Practise(w.TopUp(), 0, sales.Unknown)
			_, err := w.Sales.Refund(w.T.Context(), sale.ID, w.Approved("practice"))
			require.NoError(w.T, err)
			w.Pass(3 * time.Second)
			w.Becomes(sale.ID, sales.Complete, true)
		},
	}
	for name, path := range paths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				w := newWorld(t, db)
				before := w.postings()
				path(w)
				require.Equal(t, before, w.postings(), "postings")
				drawer, err := w.Ledger.Balance(t.Context(), ledger.TillOf(w.Seller.ShiftID), "EUR")
				require.NoError(t, err)
				require.True(t, drawer.IsZero(), "the drawer holds %s", drawer)
				require.Empty(t, w.Incidents())
				totals, err := w.Sales.Totals(t.Context(), sales.Filter{})
				require.NoError(t, err)
				require.Empty(t, totals)
				w.AtRest()
			})
		})
	}
}

func (w *world) postings() (count int64) {
	require.NoError(w.T, w.DB.Read(w.T.Context()).Table("postings").Count(&count).Error)
	return count
}
