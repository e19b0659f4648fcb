package reconcile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

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
