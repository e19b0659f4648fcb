package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/store"
	"airtill/internal/storetest"
)

// A sweep whose process was killed must not keep the next one from running.
func TestJobsOfDeadProcessesEnd(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		c := config{
			DatabaseURL: url, PublicURL: "http://127.0.0.1:1", UpstreamBaseURL: "http://127.0.0.1:1", UpstreamAPIKey: "k",
			WebhookSignedOrder: "auto", VaultKeyFile: filepath.Join(t.TempDir(), "key"), SendMode: sendWait,
		}
		require.NoError(t, writeVaultKey(c.VaultKeyFile))
		b, err := newBooks(t.Context(), c, newLog(t.Output(), 0))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, b.db.Close()) })
		s, err := newShop(t.Context(), b)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.close()) })
		require.NoError(t, s.reconcile.Beat(t.Context()))

		running := func(by string) {
			list := "jsonb('[\"" + by + "\"]')"
			if s.db.Dialect() == store.Postgres {
				list = "ARRAY['" + by + "']"
			}
			require.NoError(t, s.db.Tx(t.Context(), func(tx *store.Tx) error {
				return tx.Exec(`INSERT INTO river_job (args, attempt, attempted_at, attempted_by, kind, max_attempts, queue, state)
					VALUES ('{}', 1, CURRENT_TIMESTAMP, ` + list + `, 'reconcile.sweep', 1, 'default', 'running')`).Error
			}))
		}
		running(s.process)
		running("A PROCESS THAT IS GONE")
		require.NoError(t, s.releaseJobs(t.Context()))
		var states []string
		require.NoError(t, s.db.Read(t.Context()).Raw("SELECT state FROM river_job ORDER BY id").Scan(&states).Error)
		require.Equal(t, "running discarded", strings.Join(states, " "))
	})
}
