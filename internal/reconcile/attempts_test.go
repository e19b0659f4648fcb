package reconcile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/store"
	"airtill/internal/storetest"
)

// absent is a sale that was given up by the absence rule, though the upstream
// carried it out and will list it after half an hour.
func (w *world) absent() sales.Sale {
	w.t.Helper()
	offer := w.topUp()
	control := order("control", offer)
	control.AccountNumber = "353871111111"
	w.becomes(w.sell(control, offer).ID, sales.Complete, false)
	w.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"late_success","reply":"none","for":"30m"}}`)
	sale := w.becomes(w.sell(order("1", offer), offer).ID, sales.Unknown, false)
	for sale.Fulfilment == sales.Unknown {
		w.pass(30 * time.Second)
		require.NoError(w.t, w.books.Sweep(w.t.Context()))
		sale = w.get(sale.ID)
	}
	require.True(w.t, sale.ByAbsence)
	return sale
}

// again begins a new attempt; the manager allows it so soon.
func (w *world) again(sale sales.Sale) sales.Sale {
	w.t.Helper()
	sale, err := w.sales.TryAgain(w.t.Context(), sale.ID, w.approved("the customer waits"))
	require.NoError(w.t, err)
	return sale
}

func TestOldAttempt_ExecutedBesideTheNewOneIsAnIncident(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		first := w.absent()
		sale := w.again(first)
		w.sales.Dispatch(sale)
		sale = w.becomes(sale.ID, sales.Complete, false)
		require.NotEqual(t, first.Ref, sale.Ref)

		w.pass(2 * time.Hour)
		require.NoError(t, w.books.Sweep(t.Context()))
		require.Contains(t, w.incidents(), sales.ExecutedTwice)
		sale = w.get(sale.ID)
		require.Equal(t, sales.Complete, sale.Fulfilment)
		require.True(t, sale.Stopped)
		total, err := sale.Quoted().Total()
		require.NoError(t, err)
		require.Equal(t, total.Decimal(2), w.holds(ledger.Losses), "J14: paid for twice, sold once")
		w.pass(48 * time.Hour)
		require.NoError(t, w.books.Sweep(t.Context()))
		require.Equal(t, total.Decimal(2), w.holds(ledger.Losses), "and that once only")
		w.atRest()
	})
}

func TestOldAttempt_IsLookedForAsSoonAsTheBalanceHintsAtIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		w.balance()
		offer := w.topUp()
		practised := w.again(w.practise(offer, 5, sales.Failed))
		w.sales.Dispatch(practised)
		w.pass(40 * time.Second)
		w.becomes(practised.ID, sales.Failed, true)
		w.fault(`{"match":{"endpoint":"Provider"},"action":{"kind":"error","code":"AccountNumberInvalid"}}`)
		failed := w.becomes(w.sell(order("failed", offer), offer).ID, sales.Unknown, false) // until it is listed
		w.pass(11 * time.Second)
		w.becomes(failed.ID, sales.Failed, true)
		w.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"late_success","for":"3h","listed":"Failed"}}`)
		sale := w.sell(order("late", offer), offer)
		first := w.becomes(sale.ID, sales.Unknown, false)
		w.pass(40 * time.Second)
		sale = w.again(w.becomes(sale.ID, sales.Failed, true))
		w.sales.Dispatch(sale)
		w.becomes(sale.ID, sales.Complete, false)

		w.balance()
		require.Equal(t, reconcile.Explained, w.lastVerdict())
		require.Empty(t, w.unresolved(), "one of those that were given up was carried out")
		due, err := w.sales.DueAttempts(t.Context(), 10)
		require.NoError(t, err)
		require.Len(t, due, 1, "it may be the one that was replaced, and not what was practised")
		require.Equal(t, first.Ref, due[0].Ref)
	})
}

func TestOldAttempt_ExecutedWhileTheNewOneWaitsIsTheSale(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		first := w.absent()
		w.pass(50 * time.Minute)
		sale := w.again(first) // recorded, and not yet sent
		w.lookFor(first)
		sale = w.get(sale.ID)
		require.Equal(t, sales.Complete, sale.Fulfilment)
		require.Equal(t, sales.CashEarned, sale.Cash)
		require.Equal(t, first.Ref, sale.Ref, "the sale is the attempt that was carried out")
		w.sales.Dispatch(sale)
		w.rest()
		require.Equal(t, 1, w.executed(sale))
		require.Contains(t, w.incidents(), sales.LateSuccess)
		_, err := w.sales.TryAgain(t.Context(), sale.ID, w.approved(""))
		require.Equal(t, fault.Conflict, fault.KindOf(err))
		w.atRest()
	})
}

func TestOldAttempt_ExecutedWhileTheNewOneIsUnderWayWaitsForIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		first := w.absent()
		w.pass(50 * time.Minute)
		w.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"before"}}`)
		w.sales.Dispatch(w.again(first))
		second := w.becomes(first.ID, sales.Unknown, false)
		w.lookFor(first)
		sale := w.get(first.ID)
		require.Equal(t, sales.Unknown, sale.Fulfilment)
		require.True(t, sale.Stopped)
		require.Contains(t, w.incidents(), sales.LateSuccess)
		for range 60 {
			w.pass(30 * time.Second)
			require.NoError(t, w.books.Sweep(t.Context()))
		}
		sale = w.get(first.ID)
		require.Equal(t, sales.Complete, sale.Fulfilment, "the second attempt came to nothing, so the first is the sale")
		require.Equal(t, first.Ref, sale.Ref)
		require.Zero(t, w.executed(second))
		w.atRest()
	})
}

func TestOldAttempt_IsLookedForUpTo60DaysAndRarely(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.topUp()
		w.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"ProviderError","context":"RechargeNotAllowed"}}`)
		sale := w.sell(order("1", offer), offer)
		w.rest()
		waitUntil(t, func() bool {
			w.pass(11 * time.Second)
			require.NoError(t, w.books.Sweep(t.Context()))
			return w.get(sale.ID).Fulfilment == sales.Failed
		})
		w.start("process-2")
		w.pass(time.Minute)
		w.sales.Dispatch(w.again(sale))
		w.becomes(sale.ID, sales.Complete, false)
		calls := w.calls()
		for range 70 {
			w.pass(24 * time.Hour)
			require.NoError(t, w.books.Sweep(t.Context()))
		}
		looks := 0
		for _, call := range calls() {
			if call == "ListTransferRecords" {
				looks++
			}
		}
		require.LessOrEqual(t, looks, 8)
		require.GreaterOrEqual(t, looks, 5)
	})
}

// lookFor makes the search for an old attempt due, as a late webhook does, and
// sweeps.
func (w *world) lookFor(old sales.Sale) {
	w.t.Helper()
	require.NoError(w.t, w.sales.LookSoon(w.t.Context(), old.Ref))
	require.NoError(w.t, w.books.Sweep(w.t.Context()))
}

func TestTryAgain_AfterAbsenceWaitsAnHourOrForAManager(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		sale := w.absent()
		_, err := w.sales.TryAgain(t.Context(), sale.ID, w.act())
		require.Equal(t, sales.StopRetryEarly, sales.Approvable(err))
		again := w.again(sale)
		require.Equal(t, 2, again.Attempt)
		entries, err := w.audit.List(t.Context(), auditOf(sale.ID))
		require.NoError(t, err)
		require.Len(t, entries, 1)
		require.Equal(t, "cashier", entries[0].UserID)
		require.Contains(t, entries[0].After, `"approver":"manager"`)
		require.Equal(t, "the customer waits", entries[0].Reason)
	})
}

func TestTryAgain_AnHourAfterAbsenceNobodyIsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	sale := w.absent()
	w.pass(time.Hour)
	_, err := w.sales.TryAgain(t.Context(), sale.ID, w.act())
	require.NoError(t, err)
}
