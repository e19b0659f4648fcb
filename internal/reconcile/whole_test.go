package reconcile_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestNobodySaysThatAllAgreesOnceALookIsDue: what was seen forty minutes ago says
// nothing of now.
func TestNobodySaysThatAllAgreesOnceALookIsDue(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		w.Fault(`{"match":{"endpoint":"ListTransferRecords"},"action":{"kind":"error","code":"OtherError"}}`)
		_, err := w.Reconcile.LookAtRecords(t.Context(), "", false)
		require.Error(t, err)
		failed, err := w.Reconcile.LastRun(t.Context(), "records")
		require.NoError(t, err)
		require.Nil(t, failed, "a look that failed saw nothing")
		at, late, err := w.Reconcile.LastWhole(t.Context())
		require.NoError(t, err)
		require.True(t, late)
		require.Zero(t, at, "nobody has looked at records and drawers")
		_, err = w.Reconcile.LookAtRecords(t.Context(), "", false)
		require.NoError(t, err)
		_, err = w.Reconcile.LookAtDrawers(t.Context(), "")
		require.NoError(t, err)
		at, late, err = w.Reconcile.LastWhole(t.Context())
		require.NoError(t, err)
		require.False(t, late)
		require.WithinDuration(t, w.Now(), at, time.Minute)
		w.Pass(40 * time.Minute)
		was := at
		at, late, err = w.Reconcile.LastWhole(t.Context())
		require.NoError(t, err)
		require.True(t, late, "the balance is asked for every five minutes")
		require.Equal(t, was, at)
	})
}

// spent is a budget with nothing left.
type spent struct{ apiclient.Budget }

func (spent) Take(context.Context, string, apiclient.Priority) (time.Duration, error) {
	return time.Minute, nil
}

// TestABudgetThatIsUsedUpIsNotTheServicesSilence: the words say whose doing it is.
func TestABudgetThatIsUsedUpIsNotTheServicesSilence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	w.Budget = spent{apiclient.NewMemoryBudget(w.Now)}
	w.Begin("process-2")
	_, err := w.Reconcile.LookAtRecords(t.Context(), "", false)
	require.ErrorIs(t, err, apiclient.ErrBudget)
	words := "The transfer service cannot be asked more often right now. Nothing was charged or changed. Try again in 1 min."
	require.Equal(t, words, fault.Message(err))
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.Equal(t, words, fault.Message(w.Reconcile.CheckBalance(t.Context(), "")))
}
