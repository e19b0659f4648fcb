package reconcile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/store"
	"airtill/internal/storetest"
)

func TestJobsOfDeadProcessesEnd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		running := func(by string) {
			list := "jsonb('[\"" + by + "\"]')"
			if db.Dialect() == store.Postgres {
				list = "ARRAY['" + by + "']"
			}
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				return tx.Exec(`INSERT INTO river_job (args, attempt, attempted_at, attempted_by, kind, max_attempts, queue, state)
					VALUES ('{}', 1, CURRENT_TIMESTAMP, ` + list + `, 'reconcile.sweep', 1, 'default', 'running')`).Error
			}))
		}
		running("process-1")
		running("A PROCESS THAT IS GONE")
		require.NoError(t, w.books.ReleaseJobs(t.Context()))
		var states []string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT state FROM river_job ORDER BY id").Scan(&states).Error)
		require.Equal(t, []string{"running", "discarded"}, states)
	})
}
