package reconcile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/harness/apptest"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
)

// TestATransferExecutedTwiceIsToldOfOnce: a list shows it for as long as it goes back, also once two people have booked
// the loss.
func TestATransferExecutedTwiceIsToldOfOnce(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		offer := w.TopUp()
		sale := w.Becomes(w.Sell(apptest.Order("twice", offer), offer).ID, sales.Complete, false)
		w.sellElsewhere(sale.Ref)
		w.settled()
		w.look()
		b := w.only()
		require.Equal(t, reconcile.ExecutedTwice, b.Kind)
		events := w.Get(sale.ID).Events
		w.look()
		require.Equal(t, events, w.Get(sale.ID).Events, "nothing is new")
		w.resolve(b, reconcile.Proposal{Resolution: reconcile.WriteOff})
		w.look()
		require.Empty(t, w.unresolved())
		require.Empty(t, w.Incidents(), "the incident is the same thing")
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
	})
}

// TestADoubleExecutionAgreedBeforeAnyListOfItIsOpenAgain: a look-up told of it, and somebody closed its difference, which
// knew of no money yet. The list shows that the upstream charged more than is booked.
func TestADoubleExecutionAgreedBeforeAnyListOfItIsOpenAgain(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		offer := w.TopUp()
		sale := w.Becomes(w.Sell(apptest.Order("twice", offer), offer).ID, sales.Complete, false)
		effect := w.sellElsewhere(sale.Ref)
		w.settled()
		found, err := w.Client.ListTransferRecords(t.Context(), apiclient.ListTransferRecordsRequest{DistributorRef: sale.Ref, Take: 100})
		require.NoError(t, err)
		require.Len(t, found.Items, 2)
		lookedUp := false
		w.listed(func(answer []byte) []byte {
			if !lookedUp {
				lookedUp = true
				_, err := w.Sales.ObserveListed(t.Context(), sale, found.Items)
				require.NoError(t, err)
			}
			return answer
		})
		w.look()
		require.True(t, lookedUp)
		told := w.only()
		require.Equal(t, reconcile.ExecutedTwice, told.Kind)
		require.Zero(t, told.FloatMicros, "the sale moved while the list was read")
		require.NoError(t, w.Reconcile.Agree(t.Context(), told.ID, first, "they will pay it back"))
		w.look()
		require.Equal(t, told.ID, w.only().ID)
		require.Equal(t, effect, w.only().Float())
		for range 2 {
			w.balance()
		}
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		require.Len(t, w.unresolved(), 1, "and nothing else")
	})
}
