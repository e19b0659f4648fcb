package reconcile_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/sales"
	"airtill/internal/store"
	"airtill/internal/storetest"
)

// accepted is a batch sale that the upstream has taken and not carried out.
func (w *world) accepted() sales.Sale {
	w.t.Helper()
	w.call("PUT", "/_sandbox/config", `{"batchDelay":"1h","batchProcessing":"1h"}`, nil)
	offer := w.batchOffer()
	o := order("batch", offer)
	o.AccountNumber = batchNumber
	return w.becomes(w.sell(o, offer).ID, sales.Submitted, false)
}

func TestCancel_ListsFirstAndGivesTheCashBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.accepted()
		calls := w.calls()
		sale, err := w.sales.Cancel(t.Context(), sale.ID, w.act())
		require.NoError(t, err)
		require.Equal(t, []string{"ListTransferRecords", "CancelTransfers"}, calls())
		require.Equal(t, sales.Cancelled, sale.Fulfilment)
		require.Equal(t, sales.CashRefundDue, sale.Cash)
		price := sale.Price()
		require.NotEqual(t, "0.00", w.holds(ledger.RefundReceivable), "J10: the upstream owes it")
		require.Equal(t, price.Neg().Decimal(2), w.holds(ledger.RefundsDue), "J6")

		_, err = w.sales.Refund(t.Context(), sale.ID, w.act())
		require.NoError(t, err)
		w.atRest() // J11: the balance shows that the upstream paid it back
		require.Equal(t, "0.00", w.holds(ledger.RefundReceivable))
		require.Zero(t, w.get(sale.ID).ReceivableMicros)
		require.Zero(t, w.executed(sale))
	})
}

func TestCancel_WhatHasEndedIsNotCancelled(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.accepted()
		waitUntil(t, func() bool {
			w.passUpstream(2 * time.Hour) // it is submitted, then in work, then done
			return w.executed(sale) == 1
		})
		calls := w.calls()
		sale, err := w.sales.Cancel(t.Context(), sale.ID, w.act())
		require.NoError(t, err)
		require.Equal(t, sales.Complete, sale.Fulfilment)
		require.Equal(t, []string{"ListTransferRecords"}, calls())
		w.atRest()
	})
}

func TestCancel_OnlyAReturnedCancelledIsACancellation(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.accepted()
		w.fault(`{"match":{"endpoint":"CancelTransfers"},"action":{"kind":"error","code":"RequestInvalid","context":"NoRecordsFound"}}`)
		sale, err := w.sales.Cancel(t.Context(), sale.ID, w.act())
		require.NoError(t, err)
		require.Equal(t, sales.Cancelling, sale.Fulfilment, "asked, and no answer that could be used")
		require.Equal(t, sales.CashTaken, sale.Cash)

		w.call("PUT", "/_sandbox/config", `{"cancelDelay":"1m"}`, nil)
		w.pass(15 * time.Second)
		require.NoError(t, w.books.Sweep(t.Context())) // the list: still going on; asked again: the provider is asked
		require.Equal(t, sales.Cancelling, w.get(sale.ID).Fulfilment)
		w.pass(2 * time.Minute)
		waitUntil(t, func() bool {
			require.NoError(t, w.books.Sweep(t.Context()))
			w.pass(time.Second)
			return w.get(sale.ID).Fulfilment == sales.Cancelled
		})
		w.atRest()
	})
}

func TestCancel_ALostCallIsRepeated(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]string{
		"lost before it was carried out": `{"match":{"endpoint":"CancelTransfers"},"action":{"kind":"drop","when":"before"}}`,
		"lost after it was carried out":  `{"match":{"endpoint":"CancelTransfers"},"action":{"kind":"drop","when":"after"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				w := newWorld(t, db)
				sale := w.accepted()
				w.fault(fault)
				sale, err := w.sales.Cancel(t.Context(), sale.ID, w.act())
				require.NoError(t, err)
				require.Equal(t, sales.Cancelling, sale.Fulfilment)
				w.start("process-2") // the first is gone
				w.pass(15 * time.Second)
				sale = w.becomes(sale.ID, sales.Cancelled, true)
				require.Zero(t, w.executed(sale))
				w.atRest()
			})
		})
	}
}

func TestCancel_GivesUpAskingWhereNoAnswerEverComes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	sale := w.accepted()
	w.fault(`{"match":{"endpoint":"CancelTransfers"},"action":{"kind":"drop","when":"before"},"times":-1}`)
	calls := w.calls()
	_, err := w.sales.Cancel(t.Context(), sale.ID, w.act())
	require.NoError(t, err)
	for range 20 {
		w.pass(time.Minute)
		require.NoError(t, w.books.Sweep(t.Context()))
	}
	asked := 0
	for _, call := range calls() {
		if call == "CancelTransfers" {
			asked++
		}
	}
	require.Equal(t, 3, asked)
	require.Equal(t, sales.Submitted, w.get(sale.ID).Fulfilment, "it goes on, and the screen says so")
}

func TestCancel_ManyPressesAreOne(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.accepted()
		calls := w.calls()
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				_, err := w.sales.Cancel(t.Context(), sale.ID, w.act())
				if kind := fault.KindOf(err); kind != "" && kind != fault.Conflict {
					t.Errorf("a press failed: %v", err)
				}
			})
		}
		group.Wait()
		require.Equal(t, sales.Cancelled, w.get(sale.ID).Fulfilment)
		asked := 0
		for _, call := range calls() {
			if call == "CancelTransfers" {
				asked++
			}
		}
		require.Equal(t, 1, asked)
		w.atRest()
	})
}

func TestCancel_WhatCannotBeCancelledSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	offer := w.topUp()
	sale := w.becomes(w.sell(order("1", offer), offer).ID, sales.Complete, false)
	_, err := w.sales.Cancel(t.Context(), sale.ID, w.act())
	require.Equal(t, fault.Conflict, fault.KindOf(err))
}

// waitUntil polls until a thing holds.
func waitUntil(t *testing.T, holds func() bool) {
	t.Helper()
	require.Eventually(t, holds, waitFor, 20*time.Millisecond)
}
