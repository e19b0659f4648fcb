package store_test

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"airtill/internal/backup"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestABackupOfAnotherSchema: what an older program backed up is restored and brought up to date; what a newer one did is
// refused, with what to do, and leaves the database empty.
func TestABackupOfAnotherSchema(t *testing.T) {
	t.Parallel()
	const older = 281 // since then came the erasures of persons, and more
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	storetest.EachURL(t, func(t *testing.T, migrated string) {
		db := storetest.Open(t, migrated)
		dialect := db.Dialect()
		newest, err := db.Newest()
		require.NoError(t, err)
		require.Greater(t, newest, int64(older))
		identity, err := age.GenerateX25519Identity()
		require.NoError(t, err)
		backedUp := func(url string) (*bytes.Buffer, backup.Header) {
			var copied bytes.Buffer
			header, _, err := backup.Write(t.Context(), url, &copied, "v0", now, identity.Recipient())
			require.NoError(t, err)
			return &copied, header
		}

		old := blank(t, dialect)
		was := storetest.Open(t, old)
		require.NoError(t, was.MigrateTo(t.Context(), older))
		require.NoError(t, was.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.InsertRows(t.Context(), "postings", []string{"journal", "line", "kind", "account", "micros", "currency", "at"},
				[][]any{{"j", 0, "J18", "1100", int64(5), "EUR", now}, {"j", 1, "J18", "3000", int64(-5), "EUR", now}})
		}))
		copied, header := backedUp(old)
		require.EqualValues(t, older, header.Schema)
		there := blank(t, dialect)
		_, _, err = backup.Restore(t.Context(), there, copied, now, identity)
		require.NoError(t, err)
		restored := storetest.Open(t, there)
		pending, err := restored.Pending(t.Context())
		require.NoError(t, err)
		require.False(t, pending, "it is up to date")
		var sum, rows int64
		require.NoError(t, restored.Read(t.Context()).Raw("SELECT COUNT(*), SUM(ABS(micros)) FROM postings").Row().Scan(&rows, &sum))
		require.Equal(t, []int64{2, 10}, []int64{rows, sum})
		offences, _, err := restored.Guards(t.Context())
		require.NoError(t, err)
		require.Empty(t, offences, "the triggers of both times are there")

		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			storetest.AsOwner(t, tx)
			return tx.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (?, TRUE)", newest+1).Error
		}))
		copied, _ = backedUp(migrated)
		_, _, err = backup.Restore(t.Context(), blank(t, dialect), copied, now, identity)
		require.ErrorContains(t, err, "made by a newer program")
		require.ErrorContains(t, err, "restore it with that or a later one")
	})
}

// blank is the address of a database in which nothing was made yet.
func blank(t *testing.T, dialect store.Dialect) string {
	t.Helper()
	if dialect == store.SQLite {
		return "sqlite:" + filepath.Join(t.TempDir(), "till.db")
	}
	return emptied(t, storetest.URL(t, dialect))
}

// emptied is a database of PostgreSQL without its tables.
func emptied(t *testing.T, url string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	return url
}

// TestAnOlderProgramGrantsNothingOfANewerDatabase: a table that only the newer program knows to be secret stays so.
func TestAnOlderProgramGrantsNothingOfANewerDatabase(t *testing.T) {
	t.Parallel()
	url := postgresURL(t)
	db := storetest.Open(t, url)
	owner, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer owner.Close(t.Context())
	_, err = owner.Exec(t.Context(), "CREATE TABLE newer_doors (opens TEXT);"+
		"INSERT INTO goose_db_version (version_id, is_applied, tstamp) VALUES (999999, TRUE, CURRENT_TIMESTAMP)")
	require.NoError(t, err)
	require.NoError(t, db.Migrate(t.Context()))
	var reads bool
	require.NoError(t, owner.QueryRow(t.Context(),
		"SELECT has_column_privilege('airtill_read', 'newer_doors', 'opens', 'SELECT')").Scan(&reads))
	require.False(t, reads)
	newer, err := db.Newer(t.Context())
	require.NoError(t, err)
	require.True(t, newer)
}

// TestMigrationsAndABackupWaitForEachOther: a change of the schema that waited for a backup within the database would
// hold up every process of the till, and a backup in the middle of one would be of no schema.
func TestMigrationsAndABackupWaitForEachOther(t *testing.T) {
	t.Parallel()
	url := postgresURL(t)
	db := storetest.Open(t, url)
	soon := func() context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		t.Cleanup(cancel)
		return ctx
	}
	one, err := store.OpenSource(t.Context(), url)
	require.NoError(t, err)
	other, err := store.OpenSource(t.Context(), url)
	require.NoError(t, err, "two backups do not wait")
	require.NoError(t, other.Close())
	require.ErrorIs(t, db.Migrate(soon()), context.DeadlineExceeded)
	require.NoError(t, one.Close())
	require.NoError(t, db.Migrate(t.Context()))

	unlock, err := db.LockMigrations(t.Context())
	require.NoError(t, err)
	_, err = store.OpenSource(soon(), url)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, unlock())
	after, err := store.OpenSource(t.Context(), url)
	require.NoError(t, err)
	require.NoError(t, after.Close())
}

// TestAMigrationBehindAReaderHoldsNobodyUp: a change of the schema that queues for a table behind a long report keeps
// everybody who comes after it from that table, and with it the till from selling.
func TestAMigrationBehindAReaderHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	url := emptied(t, postgresURL(t))
	require.NoError(t, storetest.Open(t, url).MigrateTo(t.Context(), 320))
	owner, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer owner.Close(t.Context())
	report, err := owner.Begin(t.Context())
	require.NoError(t, err)
	_, err = report.Exec(t.Context(), "SELECT count(*) FROM processes")
	require.NoError(t, err)
	migrated := make(chan error, 1)
	db := storetest.Open(t, url)
	go func() { migrated <- db.Migrate(t.Context()) }()
	require.Eventually(t, func() bool {
		var waits bool
		err := report.QueryRow(t.Context(), "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND database = "+
			"(SELECT oid FROM pg_database WHERE datname = current_database()) AND mode = 'AccessExclusiveLock')").Scan(&waits)
		return err == nil && waits
	}, time.Minute, time.Millisecond)
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.NoError(t, db.Read(soon).Exec("SELECT 1 FROM processes").Error, "the till goes on")
	require.Empty(t, migrated, "the migration has not given up")
	require.NoError(t, report.Commit(t.Context()))
	require.NoError(t, <-migrated)
	pending, err := db.Pending(t.Context())
	require.NoError(t, err)
	require.False(t, pending)
}
