package invariant_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/invariant"
	"airtill/internal/jobs"
	"airtill/internal/jobs/jobstest"
	"airtill/internal/money"
	"airtill/internal/store"
)

// cut verifies with a context that ends after it was kept so often how far it has come, as a
// process that is stopped does.
func (w *world) cut(kept int) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	left := kept
	w.Uses().Stored = func() {
		if left--; left == 0 {
			cancel()
		}
	}
	_, err := w.Verify(ctx, "test")
	require.ErrorIs(w.t, err, context.Canceled)
	w.Uses().Stored = nil
}

func TestARunThatWasCutGoesOn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, sale := settled(t, db)
		for range 3 {
			w.at = w.at.Add(time.Second) // another form
			w.complete()
		}
		w.at, w.balance = w.at.Add(time.Hour), money.MustParse("60", "EUR")
		began := w.at
		count := func(table string) (n int64) {
			require.NoError(t, db.Read(t.Context()).Table(table).Count(&n).Error)
			return n
		}
		w.cut(1) // I3 is whole
		require.EqualValues(t, 1, count("verify_progress"))
		require.Zero(t, count("verify_runs"))
		w.spoil("DELETE FROM postings WHERE journal = (SELECT MIN(journal) FROM postings WHERE sale_id = ?) AND line = 0", sale.ID)
		w.spoil("UPDATE sales SET fulfilment = 'failed' WHERE id = ?", sale.ID)
		w.at = w.at.Add(time.Minute)
		run, found := w.verify()
		require.Equal(t, began, run.StartedAt.UTC(), "the same run")
		require.Zero(t, found["I3"].Broken(), "what was looked at is not looked at twice")
		require.EqualValues(t, 18, found["I3"].Checked, "and counted once")
		require.Equal(t, sale.ID, found["I8"].Offenders[0].Subject, "the rest is looked at now")
		require.Equal(t, 1, found["I8"].Broken())
		require.Zero(t, count("verify_progress"))
		_, found = w.verify()
		require.Equal(t, 1, found["I3"].Broken(), "the next run begins anew")
	})
}

func TestWhatMovedSinceIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, sale := settled(t, db)
		w.cut(4) // all that goes in batches is whole
		w.at = w.at.Add(time.Minute)
		w.spoil("UPDATE sales SET fulfilment = 'failed', updated_at = ? WHERE id = ?", w.at, sale.ID)
		w.spoil("UPDATE shifts SET opening_micros = 1")
		run, found := w.verify()
		require.False(t, run.Holds)
		require.Equal(t, sale.ID, found["I8"].Offenders[0].Subject)
		require.EqualValues(t, 1, found["I8"].Checked)
		require.Equal(t, sale.ID, found["I2"].Offenders[0].Subject)
		require.EqualValues(t, 1, found["I2"].Checked)
		require.Equal(t, w.seller.ShiftID, found["I7"].Offenders[0].Subject)
	})
}

func TestACutRunIsNotOfTheNextNightNorOfAnother(t *testing.T) {
	t.Parallel()
	w, _ := settled(t, storetest.New(t))
	w.cut(1)
	_, err := w.Verify(t.Context(), "another")
	require.NoError(t, err)
	began := w.at
	w.at = w.at.Add(21 * time.Hour)
	run, _ := w.verify()
	require.NotEqual(t, began, run.StartedAt.UTC())
	require.Equal(t, w.at, run.StartedAt.UTC())
}

func TestTwoDoNotGoOnWithTheSameRun(t *testing.T) {
	t.Parallel()
	w, _ := settled(t, storetest.New(t))
	once := true
	w.Uses().Stored = func() {
		if once {
			once = false
			_, err := w.Verify(t.Context(), "test") // another process takes it over, and ends it
			require.NoError(t, err)
		}
	}
	_, err := w.Verify(t.Context(), "test")
	require.ErrorIs(t, err, invariant.ErrTaken)
}

func TestBatchesMissNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w, sale := settled(t, db)
		for range 4 {
			w.at = w.at.Add(time.Second) // another form
			w.complete()
		}
		w.Uses().AtOnce = 1
		w.at, w.balance = w.at.Add(time.Hour), money.MustParse("50", "EUR")
		run, found := w.verify()
		require.True(t, run.Holds, "%+v", run.Findings)
		require.EqualValues(t, 5, found["I8"].Checked)
		require.EqualValues(t, 22, found["I3"].Checked)
		w.spoil("DELETE FROM postings WHERE journal = (SELECT MIN(journal) FROM postings WHERE sale_id = ?) AND line = 0", sale.ID)
		w.spoil("DELETE FROM sale_events WHERE sale_id = ? AND seq = 2", sale.ID)
		_, found = w.verify()
		require.Equal(t, 1, found["I3"].Broken())
		require.Equal(t, sale.ID, found["I8"].Offenders[0].Subject)
	})
}

// TestACheckIsSeenMoving on the board, and leaves it when it is done or cut.
func TestACheckIsSeenMoving(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	w, _ := settled(t, db)
	watcher := jobstest.Watch(t, db)
	w.Uses().Board = watcher.Board
	run, err := w.Verify(t.Context(), "test")
	require.NoError(t, err)
	signs := watcher.Moved(jobs.Verify, len(run.Findings))
	require.Equal(t, "I3", signs[0].Detail)
	require.EqualValues(t, len(run.Findings), signs[0].Total)
	_, err = w.Verify(watcher.CutAfter(3), "test")
	require.ErrorIs(t, err, context.Canceled)
	watcher.Moved(jobs.Verify, 3)
}
