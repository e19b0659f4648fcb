package reconcile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/reconcile"
)

// TestWhatIsSentAgainIsDoneToADifferenceOnce: whoever was told that the till lost its database while saving presses the
// button again. What was said to a difference stays, so the same words would stand there twice for good.
func TestWhatIsSentAgainIsDoneToADifferenceOnce(t *testing.T) {
	t.Parallel()
	inBooks(t, func(t *testing.T, w *world) {
		w.balance()
		w.Fault(`{"match":{"endpoint":"GetCurrencies"},"action":{"kind":"balance_drift","amount":"-3.21"}}`)
		_, err := w.Client.GetCurrencies(t.Context())
		require.NoError(t, err)
		w.balance()
		b := w.only()
		take := func(by audit.Actor) { require.NoError(t, w.Reconcile.Take(t.Context(), b.ID, by, by.UserID)) }
		comment := func(by audit.Actor, note string) {
			require.NoError(t, w.Reconcile.Comment(t.Context(), b.ID, by, note))
		}
		propose := func(note string) {
			p := reconcile.Proposal{Resolution: reconcile.WriteOff, Note: note}
			require.NoError(t, w.Reconcile.ProposeResolution(t.Context(), b.ID, first, p))
		}
		for range 2 {
			take(first)
		}
		take(second)
		for range 2 {
			comment(first, "asked them")
		}
		comment(second, "asked them")
		comment(first, "asked them")
		for range 2 {
			propose("too small to ask for")
		}
		propose("too small")
		_, acts, err := w.Reconcile.Break(t.Context(), b.ID, "")
		require.NoError(t, err)
		var done []string
		for _, a := range acts {
			done = append(done, a.Act+" "+a.Actor)
		}
		require.Equal(t, []string{
			"found ", "taken " + first.UserID, "taken " + second.UserID,
			"commented " + first.UserID, "commented " + second.UserID, "commented " + first.UserID,
			"proposed " + first.UserID, "proposed " + first.UserID,
		}, done)
	})
}
