package reconcile_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/ledger"
	"airtill/internal/sales"
	"airtill/internal/store"
	"airtill/internal/storetest"
)

// TestPractice_NeverTouchesTheBooks takes every path with a product's test
// number: no posting, no cash in the drawer, no claim on the upstream, no
// incident, no total.
func TestPractice_NeverTouchesTheBooks(t *testing.T) {
	t.Parallel()
	paths := map[string]func(w *world){
		"sold": func(w *world) { w.practise(w.topUp(), 0, sales.Complete) },
		"refused by each outcome a test number can pick": func(w *world) {
			for digit := 1; digit <= 9; digit++ {
				w.practise(w.topUp(), digit, sales.Failed)
			}
		},
		"refunded": func(w *world) {
			sale := w.practise(w.topUp(), 5, sales.Failed)
			_, err := w.sales.Refund(w.t.Context(), sale.ID, w.act())
			require.NoError(w.t, err)
			require.Equal(w.t, sales.CashRefunded, w.get(sale.ID).Cash)
		},
		"tried again": func(w *world) {
			sale := w.practise(w.topUp(), 5, sales.Failed)
			w.pass(time.Minute)
			again, err := w.sales.TryAgain(w.t.Context(), sale.ID, w.act())
			require.NoError(w.t, err)
			require.Equal(w.t, 2, again.Attempt)
			w.sales.Dispatch(again)
			w.becomes(sale.ID, sales.Failed, true)
		},
		"a PIN shown": func(w *world) {
			sale := w.practise(w.pinOffer(), 0, sales.Complete)
			require.NoError(w.t, w.sales.Reveal(w.t.Context(), sale.ID, w.act()))
		},
		"cancelled": func(w *world) {
			w.call("PUT", "/_sandbox/config", `{"batchDelay":"1h"}`, nil)
			sale := w.practise(w.batchOffer(), 0, sales.Submitted)
			sale, err := w.sales.Cancel(w.t.Context(), sale.ID, w.act())
			require.NoError(w.t, err)
			require.Equal(w.t, sales.Cancelled, sale.Fulfilment)
			require.Zero(w.t, sale.ReceivableMicros)
		},
		"called off": func(w *world) {
			sale, _, err := w.sales.Sell(w.t.Context(), w.seller, testOrder(w.topUp(), 0), w.topUp())
			require.NoError(w.t, err)
			_, err = w.sales.Cancel(w.t.Context(), sale.ID, w.act())
			require.NoError(w.t, err)
		},
		"refunded while unknown, then complete": func(w *world) {
			w.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"after"}}`)
			sale := w.practise(w.topUp(), 0, sales.Unknown)
			_, err := w.sales.Refund(w.t.Context(), sale.ID, w.approved("practice"))
			require.NoError(w.t, err)
			w.pass(3 * time.Second)
			w.becomes(sale.ID, sales.Complete, true)
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
				drawer, err := w.ledger.Balance(t.Context(), ledger.TillOf(w.seller.ShiftID), "EUR")
				require.NoError(t, err)
				require.True(t, drawer.IsZero(), "the drawer holds %s", drawer)
				require.Empty(t, w.incidents())
				totals, err := w.sales.Totals(t.Context(), sales.Filter{})
				require.NoError(t, err)
				require.Empty(t, totals)
				w.atRest()
			})
		})
	}
}

// testOrder is an order for the product's test number; its last digit picks
// the outcome.
func testOrder(offer sales.Offer, digit int) sales.Order {
	o := order(fmt.Sprintf("practice-%d", digit), offer)
	o.AccountNumber, o.Again = offer.TestNumber[:len(offer.TestNumber)-1]+fmt.Sprint(digit), true
	return o
}

// practise sells to a test number and waits for a state.
func (w *world) practise(offer sales.Offer, digit int, state sales.State) sales.Sale {
	w.t.Helper()
	sale := w.sell(testOrder(offer, digit), offer)
	require.True(w.t, sale.Practice)
	waitUntil(w.t, func() bool {
		sale = w.get(sale.ID)
		if sale.Fulfilment == sales.Unknown && state == sales.Failed {
			w.pass(6 * time.Second) // a failure that one look must confirm
			require.NoError(w.t, w.books.Sweep(w.t.Context()))
		}
		return sale.Fulfilment == state
	})
	return sale
}

func (w *world) postings() (count int64) {
	require.NoError(w.t, w.db.Read(w.t.Context()).Table("postings").Count(&count).Error)
	return count
}
