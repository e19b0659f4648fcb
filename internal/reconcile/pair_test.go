package reconcile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/reconcile"
	"airtill/internal/store"
)

// TestTwoSidesOfOneThingAreMatched: the upstream has lost our ref. It lists the transfer
// as somebody else's, and ours not at all; the balance shows that one was taken.
func TestTwoSidesOfOneThingAreMatched(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.sellMany("a", 2)
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"lost_record"}}`)
		lost := w.sellMany("b", 1)[0]
		w.settled()
		w.look()
		worth := money.Of(lost.ActualSendMicros+lost.ActualDistMicros-lost.CommissionMicros, "EUR")
		w.payUpstream(worth.Decimal(2)) // as if it had not been taken
		w.balance()
		missing := w.only()
		require.Equal(t, worth, missing.Float())
		others, err := w.Reconcile.Counterparts(ctx, missing, "")
		require.NoError(t, err)
		require.Empty(t, others)
		w.sellElsewhere("OTHER-1")
		w.settled()
		w.balance()
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())

		others, err = w.Reconcile.Counterparts(ctx, missing, "")
		require.NoError(t, err)
		require.Len(t, others, 1)
		foreign := others[0]
		require.Equal(t, reconcile.ForeignSale, foreign.Kind)
		hidden, err := w.Reconcile.Counterparts(ctx, missing, "another shop")
		require.NoError(t, err)
		require.Empty(t, hidden)
		require.Equal(t, fault.Conflict, fault.KindOf(w.Reconcile.Match(ctx, missing.ID, missing.ID, first, "x")), "with itself")
		require.Equal(t, fault.Invalid, fault.KindOf(w.Reconcile.Match(ctx, missing.ID, foreign.ID, first, " ")), "without a reason")
		require.Equal(t, fault.NotFound, fault.KindOf(w.Reconcile.Match(ctx, missing.ID, "none", first, "x")))
		w.moveFloat(foreign, foreign.FloatMicros+1)
		require.Equal(t, fault.Conflict, fault.KindOf(w.Reconcile.Match(ctx, missing.ID, foreign.ID, first, "x")), "a millionth is left")
		w.moveFloat(foreign, foreign.FloatMicros)

		require.NoError(t, w.Reconcile.Match(ctx, missing.ID, foreign.ID, first, "they confirmed it"))
		require.Empty(t, w.unresolved())
		require.Equal(t, fault.Conflict, fault.KindOf(w.Reconcile.Match(ctx, missing.ID, foreign.ID, first, "x")), "once")
		w.look()
		require.Empty(t, w.unresolved(), "the evidence is the same")
		w.balance()
		require.Equal(t, reconcile.Agrees, w.lastVerdict())
		w.AtRest()
		for id, other := range map[string]string{missing.ID: foreign.ID, foreign.ID: missing.ID} {
			b, acts, err := w.Reconcile.Break(ctx, id, "")
			require.NoError(t, err)
			require.Equal(t, reconcile.Matched, b.Resolution)
			require.Equal(t, other, b.Reference)
			require.Equal(t, "they confirmed it", acts[len(acts)-1].Note)
		}

		require.NoError(t, w.DB.Tx(ctx, func(tx *store.Tx) error {
			return tx.Exec("UPDATE breaks SET digest = 'other evidence' WHERE id = ?", foreign.ID).Error
		}))
		w.look()
		require.Equal(t, foreign.ID, w.only().ID, "open again")
		require.Zero(t, w.only().FloatMicros, "the other makes up for it still")
	})
}

// TestAMatchIsTakenBackThoughBothHadBeenOpenAgainBefore by other evidence, any number of times.
func TestAMatchIsTakenBackThoughBothHadBeenOpenAgainBefore(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.balance()
		w.sellElsewhere("OTHER-1")
		w.sellElsewhere("OTHER-2")
		w.settled()
		w.look()
		found, err := w.Reconcile.Queue(ctx, reconcile.QueueFilter{})
		require.NoError(t, err)
		require.Len(t, found.Breaks, 2)
		one, other := found.Breaks[0], found.Breaks[1]
		w.moveFloat(one, -other.FloatMicros)
		for _, worth := range []int64{other.FloatMicros, 3_000_000} {
			require.NoError(t, w.Reconcile.Match(ctx, one.ID, other.ID, first, "the same"))
			require.NoError(t, w.DB.Tx(ctx, func(tx *store.Tx) error {
				return tx.Exec("UPDATE breaks SET digest = 'other evidence'").Error
			}))
			w.look()
			w.moveFloat(one, worth)
			w.moveFloat(other, -worth)
		}
		for range 2 {
			require.NoError(t, w.Reconcile.Match(ctx, other.ID, one.ID, first, "the same again"))
			require.Empty(t, w.unresolved())
			require.NoError(t, w.Reconcile.Reopen(ctx, one.ID, first, "another was meant"))
			for id, micros := range map[string]int64{one.ID: 3_000_000, other.ID: -3_000_000} {
				b, _, err := w.Reconcile.Break(ctx, id, "")
				require.NoError(t, err)
				require.Equal(t, []any{reconcile.Open, micros}, []any{b.State, b.FloatMicros})
			}
		}
	})
}

func (w *world) moveFloat(b reconcile.Break, micros int64) {
	w.T.Helper()
	require.NoError(w.T, w.DB.Tx(w.T.Context(), func(tx *store.Tx) error {
		return tx.Exec("UPDATE breaks SET float_micros = ? WHERE id = ?", micros, b.ID).Error
	}))
}
