package followup_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/ledger"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func TestOldAttempt_ExecutedBesideTheNewOneIsAnIncident(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		first := w.Absent()
		sale := w.Again(first)
		w.Sales.Dispatch(sale)
		sale = w.Becomes(sale.ID, sales.Complete, false)
		require.NotEqual(t, first.Ref, sale.Ref)

		w.Pass(2 * time.Hour)
		require.NoError(t, w.FollowUp.Sweep(t.Context()))
		require.Contains(t, w.Incidents(), sales.ExecutedTwice)
		sale = w.Get(sale.ID)
		require.Equal(t, sales.Complete, sale.Fulfilment)
		require.True(t, sale.Stopped)
		total, err := sale.Quoted().Total()
		require.NoError(t, err)
		require.Equal(t, total.Decimal(2), w.Holds(ledger.Losses), "J14: paid for twice, sold once")
		require.Equal(t, []sales.Step{sales.StepEarlier}, w.stepsSince(sale, sales.StepTold))
		w.Pass(48 * time.Hour)
		require.NoError(t, w.FollowUp.Sweep(t.Context()))
		require.Equal(t, total.Decimal(2), w.Holds(ledger.Losses), "and that once only")
		w.AtRest()
	})
}

// stepsSince are what a sale's timeline tells after the last step of a kind, but for how often it was asked.
func (w *world) stepsSince(sale sales.Sale, last sales.Step) (steps []sales.Step) {
	w.T.Helper()
	moments, err := w.Sales.Timeline(w.T.Context(), sale)
	require.NoError(w.T, err)
	for _, m := range moments {
		switch m.Step {
		case last:
			steps = nil
		case sales.StepAsked:
		default:
			steps = append(steps, m.Step)
		}
	}
	return steps
}

func TestOldAttempt_ExecutedWhileTheNewOneWaitsIsTheSale(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		first := w.Absent()
		w.Pass(50 * time.Minute)
		sale := w.Again(first) // recorded, and not yet sent
		w.lookFor(first)
		sale = w.Get(sale.ID)
		require.Equal(t, sales.Complete, sale.Fulfilment)
		require.Equal(t, sales.CashEarned, sale.Cash)
		require.Equal(t, first.Ref, sale.Ref, "the sale is the attempt that was carried out")
		w.Sales.Dispatch(sale)
		w.Rest()
		require.Equal(t, 1, w.Executed(sale))
		require.Contains(t, w.Incidents(), sales.LateSuccess)
		_, err := w.Sales.TryAgain(t.Context(), sale.ID, w.Approved(""))
		require.Equal(t, fault.Conflict, fault.KindOf(err))
		w.AtRest()
	})
}

// absentThenUnknown is a sale given up by absence whose second attempt is under way, with no answer.
func (w *world) absentThenUnknown() (first, second sales.Sale) {
	w.T.Helper()
	first = w.Absent()
	w.Pass(50 * time.Minute)
	w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"drop","when":"before"}}`)
	w.Sales.Dispatch(w.Again(first))
	return first, w.Becomes(first.ID, sales.Unknown, false)
}

func TestOldAttempt_ExecutedWhileTheNewOneIsUnderWayWaitsForIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		first, second := w.absentThenUnknown()
		w.lookFor(first)
		sale := w.Get(first.ID)
		require.Equal(t, sales.Unknown, sale.Fulfilment)
		require.True(t, sale.Stopped)
		require.Contains(t, w.Incidents(), sales.LateSuccess)
		require.Equal(t, []sales.Step{sales.StepEarlier}, w.stepsSince(sale, sales.Step(sales.Lost)))
		for range 60 {
			w.Pass(30 * time.Second)
			require.NoError(t, w.FollowUp.Sweep(t.Context()))
		}
		sale = w.Get(first.ID)
		require.Equal(t, sales.Complete, sale.Fulfilment, "the second attempt came to nothing, so the first is the sale")
		require.Equal(t, first.Ref, sale.Ref)
		require.Zero(t, w.Executed(second))
		require.Equal(t, sales.StepLate, w.stepsSince(sale, sales.StepEarlier)[1], "it is the sale from here on")
		w.AtRest()
	})
}

// TestOldAttempt_ThatWentThroughForbidsToGiveTheCashBack once the later one has failed: the sale is sent, which is known
// and about to be booked. If it is undone by then, the cash is the customer's.
func TestOldAttempt_ThatWentThroughForbidsToGiveTheCashBack(t *testing.T) {
	t.Parallel()
	for name, undone := range map[string]bool{"carried out": false, "undone": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) { giveBackAfterAnOldAttempt(t, db, undone) })
		})
	}
}

func giveBackAfterAnOldAttempt(t *testing.T, db *store.DB, undone bool) {
	t.Helper()
	w := newWorld(t, db)
	first, second := w.absentThenUnknown()
	w.lookFor(first)
	failed, err := w.Sales.Observe(t.Context(), second.ID, sales.Observation{
		Cause: sales.Listed, Ref: second.Ref, At: w.Now(), Source: "test", State: sales.Failed,
	})
	require.NoError(t, err)
	require.Equal(t, sales.CashRefundDue, failed.Cash)
	_, err = w.Sales.Refund(t.Context(), failed.ID, w.Act())
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	if !undone {
		require.NoError(t, w.FollowUp.Sweep(t.Context()))
		sale := w.Get(first.ID)
		require.Equal(t, sales.Complete, sale.Fulfilment, "it is looked for at once")
		require.Equal(t, sales.CashEarned, sale.Cash)
		w.AtRest()
		return
	}
	due, err := w.Sales.DueAttempts(t.Context(), 1)
	require.NoError(t, err)
	require.Len(t, due, 1)
	later := w.Now().Add(6 * time.Hour)
	require.NoError(t, w.Sales.PutOff(t.Context(), due[0], &later))
	_, err = w.Sales.Refund(t.Context(), failed.ID, w.Act())
	require.NoError(t, err)
}

func TestOldAttempt_IsLookedForUpTo60DaysAndRarely(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"ProviderError","context":"RechargeNotAllowed"}}`)
		sale := w.Sell(apptest.Order("1", offer), offer)
		w.Rest()
		w.Until(func() bool {
			w.Pass(11 * time.Second)
			require.NoError(t, w.FollowUp.Sweep(t.Context()))
			return w.Get(sale.ID).Fulfilment == sales.Failed
		})
		w.Begin("process-2")
		w.Pass(time.Minute)
		w.Sales.Dispatch(w.Again(sale))
		w.Becomes(sale.ID, sales.Complete, false)
		calls := w.Calls()
		for range 70 {
			w.Pass(24 * time.Hour)
			require.NoError(t, w.FollowUp.Sweep(t.Context()))
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
	w.T.Helper()
	require.NoError(w.T, w.Sales.LookSoon(w.T.Context(), old.Ref))
	require.NoError(w.T, w.FollowUp.Sweep(w.T.Context()))
}
