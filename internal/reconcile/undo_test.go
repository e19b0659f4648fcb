package reconcile_test

import (
	"testing"
	"time"

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

// TestAReversalEndsWhatWasTakenBack: the upstream gives back the price of a declared seller's sale whose booking was
// undone. Nothing is booked, and nothing is left to deal with.
func TestAReversalEndsWhatWasTakenBack(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"late_reversal","for":"1h"}}`)
		booked := w.bookedElsewhere("POS2-1")
		w.declareSeller()
		w.look()
		require.NoError(t, w.Reconcile.ProposeUndo(t.Context(), booked.ID, first, "wrong account"))
		require.NoError(t, w.Reconcile.Confirm(t.Context(), booked.ID, w.only().Proposes(), second, w.Now()))
		w.look()
		require.Equal(t, booked.FloatMicros, w.only().FloatMicros)
		w.becomesFailed("POS2-1")
		for range 2 {
			w.look()
			require.Empty(t, w.unresolved())
			require.Equal(t, "0.00 EUR", w.usedByOthers())
		}
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		w.AtRest()
	})
}

// TestABalanceOfBeforeABookingIsTakenBackIsNoDifference: it waited for a batch, and is judged after what was booked of
// others' sale was undone by people, or the upstream had reversed that sale.
func TestABalanceOfBeforeABookingIsTakenBackIsNoDifference(t *testing.T) {
	t.Parallel()
	for name, reversed := range map[string]bool{"by people": false, "by the upstream": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBooks(t, func(t *testing.T, w *world) {
				w.balance()
				if reversed {
					w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"late_reversal","for":"1h"}}`)
				}
				booked := w.bookedElsewhere("POS2-1")
				w.goesOn("on")
				for range 2 {
					w.Pass(time.Minute)
					w.balance()
				}
				if reversed {
					w.becomesFailed("POS2-1")
				}
				w.Pass(time.Minute)
				w.look()
				if !reversed {
					require.NoError(t, w.Reconcile.ProposeUndo(t.Context(), booked.ID, first, "wrong account"))
					require.NoError(t, w.Reconcile.Confirm(t.Context(), booked.ID, w.only().Proposes(), second, w.Now()))
				}
				for range 2 {
					w.sweeps()
					w.balance()
					require.Equal(t, booked.ID, w.only().ID)
				}
			})
		})
	}
}

// bookedElsewhere is a sale of other software that a balance told of and two people booked.
func (w *world) bookedElsewhere(ref string) reconcile.Break {
	w.T.Helper()
	w.sellElsewhere(ref)
	w.settled()
	w.balance()
	booked := w.only()
	w.resolve(booked, reconcile.Proposal{Resolution: reconcile.Foreign})
	return booked
}
