package jobs_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/jobs"
	"airtill/internal/store"
)

// TestWorkThatOnlyANewerProgramKnowsWaitsForIt: while one is rolled out, a process of before may take the job first.
func TestWorkThatOnlyANewerProgramKnowsWaitsForIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := time.Now
		program := func(name string, all ...jobs.Job) *jobs.Runner {
			r, err := jobs.New(jobs.Deps{
				DB: db, Process: name, Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
				Now: func() time.Time { return clock() },
			}, all...)
			require.NoError(t, err)
			return r
		}
		nothing := func(context.Context) error { return nil }
		known := jobs.Periodic{Kind: "test.known", Every: time.Hour, Do: nothing}
		done := make(chan struct{}, 1)
		newer := program("newer", known, jobs.Periodic{
			Kind: "test.newer", Every: time.Hour, Do: func(context.Context) error { done <- struct{}{}; return nil },
		})
		job := func(r *jobs.Runner) (row jobs.Row) {
			last, err := r.Last(t.Context())
			require.NoError(t, err)
			for _, one := range last {
				if one.Kind == "test.newer" {
					row = one
				}
			}
			return row
		}
		require.NoError(t, newer.Run(t.Context(), "test.newer"))
		older := program("older", known)
		require.NoError(t, older.Start(t.Context()))
		require.Eventually(t, func() bool { return job(older).Reason != "" }, soon, 10*time.Millisecond, "it takes the job")
		require.NoError(t, older.Stop(t.Context()))
		givenUp, err := older.GivenUp(t.Context())
		require.NoError(t, err)
		require.Empty(t, givenUp, "nobody is told that it failed for good")
		first := job(older).ID

		require.NoError(t, newer.Start(t.Context()))
		<-done
		require.NoError(t, newer.Stop(t.Context()))
		require.Equal(t, rivertype.JobStateCompleted, job(newer).State)
		require.Equal(t, first, job(newer).ID)

		clock = func() time.Time { return time.Now().Add(2 * time.Hour) }
		require.NoError(t, newer.Run(t.Context(), "test.newer"))
		older = program("older again", known)
		require.NoError(t, older.Start(t.Context()))
		require.Eventually(t, func() bool { return job(older).State == rivertype.JobStateDiscarded }, soon, 10*time.Millisecond,
			"what nobody knew for an hour nobody will")
		require.NoError(t, older.Stop(t.Context()))
	})
}
