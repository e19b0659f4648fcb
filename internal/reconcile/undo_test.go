package reconcile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/reconcile"
)

// TestWhatWasBookedBeforeADeclarationIsTakenBackAndBookedAgain as what it is, once.
func TestWhatWasBookedBeforeADeclarationIsTakenBackAndBookedAgain(t *testing.T) {
	t.Parallel()
	for _, how := range []reconcile.Resolution{reconcile.Foreign, reconcile.WriteOff} {
		t.Run(string(how), func(t *testing.T) {
			t.Parallel()
			inBooks(t, func(t *testing.T, w *world) {
				w.balance()
				w.sellElsewhere("POS2-1")
				w.settled()
				w.balance()
				booked := w.only()
				w.resolve(booked, reconcile.Proposal{Resolution: how})
				w.declareSeller()
				w.look()
				require.NoError(t, w.Reconcile.ProposeUndo(t.Context(), booked.ID, first, "wrong account"))
				require.NoError(t, w.Reconcile.Confirm(t.Context(), booked.ID, w.only().Proposes(), second, w.Now()))
				w.look()
				require.Equal(t, booked.FloatMicros, w.only().FloatMicros)
				w.resolve(w.only(), reconcile.Proposal{Resolution: reconcile.Foreign})
				w.look()
				listed, err := w.Reconcile.ForeignSales(t.Context(), 10)
				require.NoError(t, err)
				require.Len(t, listed, 1)
				require.Equal(t, booked.FloatMicros, listed[0].Micros)
				w.balance()
				require.Equal(t, reconcile.Agrees, w.lastVerdict())
				w.AtRest()
			})
		})
	}
}
