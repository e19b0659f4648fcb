package reconcile_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func TestOldAttempt_IsLookedForAsSoonAsTheBalanceHintsAtIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		w.balance()
		offer := w.TopUp()
		practised := w.Again(w.Practise(offer, 5, sales.Failed))
		w.Sales.Dispatch(practised)
		w.Pass(40 * time.Second)
		w.Becomes(practised.ID, sales.Failed, true)
		w.Fault(`{"match":{"endpoint":"Provider"},"action":{"kind":"error","code":"AccountNumberInvalid"}}`)
		failed := w.Becomes(w.Sell(apptest.Order("failed", offer), offer).ID, sales.Unknown, false) // until it is listed
		w.Pass(11 * time.Second)
		w.Becomes(failed.ID, sales.Failed, true)
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"late_success","for":"3h","listed":"Failed"}}`)
		sale := w.Sell(apptest.Order("late", offer), offer)
		first := w.Becomes(sale.ID, sales.Unknown, false)
		w.Pass(40 * time.Second)
		sale = w.Again(w.Becomes(sale.ID, sales.Failed, true))
		w.Sales.Dispatch(sale)
		w.Becomes(sale.ID, sales.Complete, false)

		w.balance()
		require.Equal(t, reconcile.Explained, w.lastVerdict())
		require.Empty(t, w.unresolved(), "one of those that were given up was carried out")
		due, err := w.Sales.DueAttempts(t.Context(), 10)
		require.NoError(t, err)
		require.Len(t, due, 1, "it may be the one that was replaced, and not what was practised")
		require.Equal(t, first.Ref, due[0].Ref)
	})
}

// A restored backup does not know what was sent after it was made, and a sale that the list lacked for a moment was
// voided: nothing else looks for what was never sent from here.
func TestASaleThatWasNeverSentIsFoundWhereItIsListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale, _, err := w.Try(apptest.Order("lost", offer), offer)
		require.NoError(t, err)
		_, err = w.Sales.CallOff(t.Context(), sale.ID, w.Act())
		require.NoError(t, err)
		w.sellElsewhere(sale.Ref)
		w.settled()
		look := w.look()
		require.Len(t, look.Findings, 1)
		require.Equal(t, reconcile.LateSuccess, w.only().Kind)
		sale = w.Get(sale.ID)
		require.Equal(t, sales.Complete, sale.Fulfilment)
		require.Equal(t, sales.CashEarned, sale.Cash)
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
	})
}

// TestAListThatEndsAfterTheAttemptThatWentThroughTellsNothingOfIt: a busy list reaches back to the later one only, which
// failed.
func TestAListThatEndsAfterTheAttemptThatWentThroughTellsNothingOfIt(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		first := w.Absent()
		w.Pass(time.Hour)
		w.sellMany("between", 1)
		w.Pass(2 * apiclient.ListMargin)
		w.Fault(`{"match":{"endpoint":"Provider"},"action":{"kind":"error","code":"AccountNumberInvalid"}}`)
		sale := w.Again(first)
		w.Sales.Dispatch(sale)
		w.Becomes(sale.ID, sales.Unknown, false) // until it is listed
		w.Pass(11 * time.Second)
		w.Becomes(sale.ID, sales.Failed, true)
		w.Pass(6 * time.Hour)
		sale = w.Becomes(sale.ID, sales.Complete, true)
		require.Equal(t, first.Ref, sale.Ref)
		w.listed(func(answer []byte) []byte {
			var list apiclient.ListTransferRecordsResponse
			require.NoError(t, json.Unmarshal(answer, &list))
			list.ThereAreMoreItems = true
			list.Items = slices.DeleteFunc(list.Items, func(item apiclient.TransferRecordWithErrorCodes) bool {
				at, err := item.TransferRecord.StartedUtc.Time()
				require.NoError(t, err)
				return at.Before(first.PermitAt.Add(time.Minute))
			})
			changed, err := json.Marshal(list)
			require.NoError(t, err)
			return changed
		})
		require.Equal(t, 2, w.look().Run.Records)
		require.Equal(t, reconcile.LateSuccess, w.only().Kind, "of which the sale itself told")
	})
}
