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

func TestJobsOfDeadProcessesEnd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		processes := jobs.NewProcesses(db, "process-1", time.Now)
		running := func(by string) {
			list := "jsonb('[\"" + by + "\"]')"
			if db.Dialect() == store.Postgres {
				list = "ARRAY['" + by + "']"
			}
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				return tx.Exec(`INSERT INTO river_job (args, attempt, attempted_at, attempted_by, kind, max_attempts, queue, state)
					VALUES ('{}', 1, CURRENT_TIMESTAMP, ` + list + `, 'sweep', 1, 'default', 'running')`).Error
			}))
		}
		running("process-1")
		running("A PROCESS THAT IS GONE")
		require.NoError(t, processes.Beat(t.Context()))
		ended, end := context.WithCancel(t.Context())
		end()
		require.Error(t, processes.Release(ended), "what failed is done the next time")
		require.NoError(t, processes.Release(t.Context()))
		var states []string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT state FROM river_job ORDER BY id").Scan(&states).Error)
		require.Equal(t, []string{"running", "discarded"}, states)

		others, err := jobs.Running(t.Context(), db)
		require.NoError(t, err)
		require.Equal(t, db.Dialect() == store.Postgres, others, "a file is locked for one process, which is whoever asks")
	})
}
