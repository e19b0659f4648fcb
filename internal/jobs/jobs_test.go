package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/jobs"
	"airtill/internal/store"
)

func start(t *testing.T, db *store.DB, all ...jobs.Job) *jobs.Runner {
	t.Helper()
	runner, err := jobs.New(jobs.Deps{
		DB: db, Process: "test", Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}, all...)
	require.NoError(t, err)
	require.NoError(t, runner.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, runner.Stop(context.WithoutCancel(t.Context()))) })
	return runner
}

const soon = time.Minute

// Work begins when the till starts, one run at a time however often it is asked
// for, and is cut off at its own time-out.
func TestPeriodicWorkRunsOneAtATime(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var runs, atOnce, most atomic.Int32
		began, end := make(chan struct{}, 1), make(chan struct{})
		runner := start(t, db, jobs.Periodic{Kind: "test.slow", Every: time.Hour, Do: func(context.Context) error {
			runs.Add(1)
			most.Store(max(most.Load(), atOnce.Add(1)))
			defer atOnce.Add(-1)
			began <- struct{}{}
			<-end
			return nil
		}}, jobs.Periodic{Kind: "test.endless", Every: time.Hour, Timeout: time.Millisecond, Do: func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}})
		<-began
		for range 5 {
			require.NoError(t, runner.Run(t.Context(), "test.slow"))
		}
		end <- struct{}{}
		require.Eventually(t, func() bool {
			require.NoError(t, runner.Run(t.Context(), "test.slow"))
			select {
			case <-began:
				return true
			default:
				return false
			}
		}, soon, 10*time.Millisecond, "asked for again after its end, it runs again")
		close(end)
		require.EqualValues(t, 1, most.Load())
		require.EqualValues(t, 2, runs.Load())
		require.Eventually(t, func() bool {
			failed, err := runner.Failed(t.Context())
			require.NoError(t, err)
			return len(failed) == 1 && failed[0].Kind == "test.endless" && failed[0].State == rivertype.JobStateDiscarded
		}, soon, 10*time.Millisecond, "cut off, and not tried again")
	})
}

// Work that finds nothing to do makes no job; work of which that is not known does.
func TestWhatIsNotDueMakesNoJob(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ran := make(chan string, 10)
		work := func(kind string, due bool, err error) jobs.Job {
			return jobs.Periodic{
				Kind: kind, Every: time.Hour, Due: func(context.Context) (bool, error) { return due, err },
				Do: func(context.Context) error { ran <- kind; return nil },
			}
		}
		start(t, db, work("test.idle", false, nil), work("test.due", true, nil), work("test.unsure", false, errors.New("away")))
		require.ElementsMatch(t, []string{"test.due", "test.unsure"}, []string{<-ran, <-ran})
		var idle int
		require.NoError(t, db.Read(t.Context()).Raw("SELECT COUNT(*) FROM river_job WHERE kind = 'test.idle'").Scan(&idle).Error)
		require.Zero(t, idle)
	})
}

type errand struct {
	To string `json:"to"`
}

// Kind names the job.
func (errand) Kind() string { return "test.errand" }

// InsertOpts gives it up at once.
func (errand) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

// What was given up on is listed with its reason, summed for a day, and runs again
// when somebody says so.
func TestWhatWasGivenUpOnIsListedAndRunAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var open atomic.Bool
		runner := start(t, db, jobs.OnRequest[errand]{Do: func(_ context.Context, e errand) error {
			if !open.Load() {
				return errors.New(e.To + " is shut")
			}
			return nil
		}})
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return errors.Join(tx.Enqueue(t.Context(), errand{"the bank"}, nil), tx.Enqueue(t.Context(), errand{"the post"}, nil))
		}))
		var failed []jobs.Row
		require.Eventually(t, func() bool {
			var err error
			failed, err = runner.Failed(t.Context())
			require.NoError(t, err)
			return len(failed) == 2
		}, soon, 10*time.Millisecond)
		require.Equal(t, "the post is shut", failed[0].Technical, "the newest first")
		require.Equal(t, jobs.InLog, failed[0].Reason)
		require.WithinDuration(t, time.Now(), failed[0].FailedAt, time.Minute)
		require.Equal(t, 1, failed[0].Attempt)
		require.NotNil(t, failed[0].StartedAt)
		sums, err := runner.GivenUp(t.Context())
		require.NoError(t, err)
		require.Len(t, sums, 1)
		require.Equal(t, "test.errand", sums[0].Kind)
		require.Equal(t, 2, sums[0].Count)
		require.WithinDuration(t, time.Now(), sums[0].Last, time.Minute)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("UPDATE river_job SET finalized_at = ? WHERE id = ?", time.Now().UTC().Add(-25*time.Hour), failed[1].ID).Error
		}))
		sums, err = runner.GivenUp(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, sums[0].Count, "only those of the last day")

		open.Store(true)
		require.NoError(t, runner.Retry(t.Context(), failed[0].ID))
		require.Equal(t, fault.NotFound, fault.KindOf(runner.Retry(t.Context(), failed[0].ID+1000)))
		require.Eventually(t, func() bool {
			last, err := runner.Last(t.Context())
			require.NoError(t, err)
			return len(last) == 1 && last[0].ID == failed[0].ID && last[0].State == rivertype.JobStateCompleted
		}, soon, 10*time.Millisecond, "the last of its kind has run")
		once, err := runner.Last(t.Context())
		require.NoError(t, err)
		require.NoError(t, runner.Retry(t.Context(), failed[0].ID), "somebody else asks as well, from a page of before")
		again, err := runner.Last(t.Context())
		require.NoError(t, err)
		require.Equal(t, once, again, "it was done already")
	})
}

// A failure has its reason, however it comes about, and the text of its error as it was. What has
// which reason is TestTheTimeOutOfAJobIsToldFromOthers.
func TestAFailureHasItsReason(t *testing.T) {
	t.Parallel()
	for name, try := range map[string]struct {
		do   func(context.Context) error
		want jobs.Reason
	}{
		"a fault":  {func(context.Context) error { return fault.New(fault.Unavailable, "alert.no-answer") }, "alert.no-answer"},
		"too long": {func(ctx context.Context) error { <-ctx.Done(); return fault.Doing("wait", ctx.Err()) }, jobs.TimedOut},
		"a defect": {func(context.Context) error { panic("at the disco") }, jobs.InLog},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runner, err := jobs.New(jobs.Deps{
				DB: storetest.New(t), Process: "test", Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
				Now: time.Now,
			}, jobs.Periodic{Kind: "test.fails", Every: time.Hour, Timeout: 50 * time.Millisecond, Do: try.do})
			require.NoError(t, err)
			require.NoError(t, runner.Start(t.Context()))
			t.Cleanup(func() { require.NoError(t, runner.Stop(context.WithoutCancel(t.Context()))) })
			require.Eventually(t, func() bool {
				failed, err := runner.Failed(t.Context())
				require.NoError(t, err)
				if len(failed) == 1 {
					require.Equal(t, try.want, failed[0].Reason)
					require.NotEmpty(t, failed[0].Technical)
					require.NotContains(t, failed[0].Technical, "[")
				}
				return len(failed) == 1
			}, soon, 10*time.Millisecond)
		})
	}
}

// A run that was given up on begins again when somebody says so; while another of its kind waits or runs, that one does
// the same work.
func TestAFailedRunIsAskedForAgainWhileTheNextOneRuns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var runs atomic.Int32
		end := make(chan struct{})
		runner := start(t, db, jobs.Periodic{Kind: "test.sweep", Every: time.Hour, Do: func(context.Context) error {
			if runs.Add(1) == 1 {
				return errors.New("away")
			}
			<-end
			return nil
		}})
		var failed []jobs.Row
		require.Eventually(t, func() bool {
			var err error
			failed, err = runner.Failed(t.Context())
			require.NoError(t, err)
			return len(failed) == 1
		}, soon, 10*time.Millisecond)
		require.NoError(t, runner.Run(t.Context(), "test.sweep"))
		require.Eventually(t, func() bool { return runs.Load() == 2 }, soon, 10*time.Millisecond)
		err := runner.Retry(t.Context(), failed[0].ID)
		close(end)
		require.NoError(t, err)
	})
}
