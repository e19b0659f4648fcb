package jobs_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/jobs"
	"airtill/internal/store"
)

// running has a job be under way in a process.
func running(t *testing.T, db *store.DB, kind, by string) {
	t.Helper()
	list := "jsonb('[\"" + by + "\"]')"
	if db.Dialect() == store.Postgres {
		list = "ARRAY['" + by + "']"
	}
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec(`INSERT INTO river_job (args, attempt, attempted_at, attempted_by, kind, max_attempts, queue, state)
			VALUES ('{}', 1, CURRENT_TIMESTAMP, `+list+`, ?, 1, 'default', 'running')`, kind).Error
	}))
}

func TestJobsOfDeadProcessesEnd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		processes := jobs.NewProcesses(db, "process-1", time.Now)
		running(t, db, "sweep", "process-1")
		running(t, db, "sweep", "A PROCESS THAT IS GONE")
		require.NoError(t, processes.Beat(t.Context()))
		ended, end := context.WithCancel(t.Context())
		end()
		_, err := processes.Release(ended)
		require.Error(t, err, "what failed is done the next time")
		some, err := processes.Release(t.Context())
		require.NoError(t, err)
		require.True(t, some)
		var states []string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT state FROM river_job ORDER BY id").Scan(&states).Error)
		require.Equal(t, []string{"running", "discarded"}, states)

		others, err := jobs.Running(t.Context(), db)
		require.NoError(t, err)
		require.Equal(t, db.Dialect() == store.Postgres, others, "a file is locked for one process, which is whoever asks")
	})
}

// TestTheWorstClockIsToldOf of the processes that live; what a dead one had does not count.
func TestTheWorstClockIsToldOf(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		here := jobs.NewProcesses(db, "here", time.Now)
		worst := func() time.Duration {
			ahead, err := here.ClockAhead(t.Context())
			require.NoError(t, err)
			return ahead
		}
		require.Zero(t, worst(), "nobody has beaten yet")
		require.NoError(t, here.Beat(t.Context()))
		require.Zero(t, worst(), "nobody knows")
		beat := func(id string, ahead time.Duration) {
			p := jobs.NewProcesses(db, id, time.Now)
			p.Ahead = func() time.Duration { return ahead }
			require.NoError(t, p.Beat(t.Context()))
		}
		beat("here", 2*time.Minute)
		require.Equal(t, 2*time.Minute, worst())
		beat("there", -time.Hour)
		if !db.Alone() {
			require.Equal(t, -time.Hour, worst())
		}
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("UPDATE processes SET seen_at = ? WHERE id = 'there'", store.Moment(time.Now().Add(-time.Minute))).Error
		}))
		require.Equal(t, 2*time.Minute, worst(), "it has ended")
		beat("here", 0)
		require.Zero(t, worst(), "somebody has set it")
	})
}

// TestARunThatWasCutHasNotFailed: the next process begins it anew. What somebody asked for is lost with the process.
func TestARunThatWasCutHasNotFailed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		running(t, db, "test.round", "A PROCESS THAT IS GONE")
		running(t, db, "test.errand", "A PROCESS THAT IS GONE")
		some, err := jobs.NewProcesses(db, "test", time.Now).Release(t.Context())
		require.NoError(t, err)
		require.True(t, some)
		ran := make(chan struct{}, 1)
		runner := start(t, db,
			jobs.Periodic{Kind: "test.round", Every: time.Hour, Do: func(context.Context) error { ran <- struct{}{}; return nil }},
			jobs.OnRequest[errand]{Do: func(context.Context, errand) error { return nil }})
		givenUp, err := runner.GivenUp(t.Context())
		require.NoError(t, err)
		require.Len(t, givenUp, 1)
		require.Equal(t, "test.errand", givenUp[0].Kind)
		failed, err := runner.Failed(t.Context())
		require.NoError(t, err)
		require.Len(t, failed, 2, "the page of jobs tells of both")
		<-ran
	})
}
