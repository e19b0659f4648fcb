package store

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// TestWhatTravelsTogetherIsCounted: several statements outside a transaction are one to
// PostgreSQL, and those that begin one end it by themselves.
func TestWhatTravelsTogetherIsCounted(t *testing.T) {
	t.Parallel()
	db := openTestPostgres(t)
	conn, err := db.pool.Acquire(t.Context())
	require.NoError(t, err)
	t.Cleanup(conn.Release)
	for _, step := range []struct {
		statements []string
		costs      Counts
	}{
		{[]string{"SELECT 1"}, Counts{Commits: 1, Statements: 1, Trips: 1}},
		{[]string{"SELECT 1", "SELECT 2"}, Counts{Commits: 1, Statements: 2, Trips: 1}},
		{[]string{"BEGIN", "SELECT 1"}, Counts{Statements: 1, Trips: 1}},
		{[]string{"SELECT 1", "SELECT 2"}, Counts{Statements: 2, Trips: 1}},
		{[]string{"COMMIT"}, Counts{Commits: 1, Trips: 1}},
		{[]string{"BEGIN", "SELECT 1"}, Counts{Statements: 1, Trips: 1}},
		{[]string{"ROLLBACK"}, Counts{Trips: 1}},
		{nil, Counts{}},
	} {
		before := db.Counts()
		batch := &pgx.Batch{}
		for _, sql := range step.statements {
			batch.Queue(sql)
		}
		require.NoError(t, conn.SendBatch(t.Context(), batch).Close())
		require.Equal(t, step.costs, db.Counts().Sub(before), "%q", step.statements)
	}
}
