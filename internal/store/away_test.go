package store_test

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// A database that crashes under a request is no defect of the till: whoever asked may
// ask again, or has to look first.
func TestADatabaseThatGoesAwayInTheMiddleIsAFault(t *testing.T) {
	t.Parallel()
	if os.Getenv("TEST_DATABASE_URL") == "" {
		t.Skip("TEST_DATABASE_URL is not set: SQLite does not go away")
	}
	// The till's role may not end a session; whose the session is may.
	const crash = "SELECT pg_terminate_backend(CASE WHEN set_config('role', 'none', false) = 'none' THEN pg_backend_pid() END)"
	db := storetest.Open(t, storetest.URL(t, store.Postgres))
	var gone bool
	scanned := db.Read(t.Context()).Raw(crash).Scan(&gone).Error
	found := db.Read(t.Context()).Table("(" + crash + " AS gone) t").Find(&[]struct{ Gone bool }{}).Error
	written := db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec(crash).Error })
	for name, err := range map[string]error{"raw": scanned, "query": found, "write": written} {
		require.Equal(t, fault.Unavailable, fault.KindOf(store.Explain(err, true)), "%s: %v", name, err)
		require.Equal(t, fault.Unsure, fault.KindOf(store.Explain(err, false)), "%s: %v", name, err)
	}

	var n int64
	require.NoError(t, db.Read(t.Context()).Raw("SELECT COUNT(*) FROM sales").Scan(&n).Error, "it is back")
	readOnly := db.Tx(t.Context(), func(tx *store.Tx) error {
		require.NoError(t, tx.Exec("SET TRANSACTION READ ONLY").Error)
		return tx.Exec("SELECT 1 FROM sales FOR UPDATE").Error
	})
	require.Equal(t, fault.Unsure, fault.KindOf(store.Explain(readOnly, false)), "one that takes no writes for a while")
	wrong := db.Read(t.Context()).Raw("SELECT no_such_column FROM sales").Scan(&n).Error
	require.Equal(t, fault.Internal, fault.KindOf(store.Explain(wrong, true)), "a defect stays one")
	require.Equal(t, fault.Internal, fault.KindOf(store.Explain(errors.New("other"), true)))
	require.NoError(t, store.Explain(nil, true))
}

// So is one that lets nobody in, for whatever reason it gives: a password that was changed, an address that is shut out.
func TestADatabaseThatLetsNobodyInIsAFault(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(postgresURL(t))
	require.NoError(t, err)
	name := strings.TrimPrefix(address.Path, "/")
	db := storetest.Open(t, address.String())
	address.Path = "/postgres"
	owner, err := pgx.Connect(t.Context(), address.String())
	require.NoError(t, err)
	defer owner.Close(t.Context())
	_, err = owner.Exec(t.Context(), "ALTER DATABASE "+pgx.Identifier{name}.Sanitize()+" ALLOW_CONNECTIONS false")
	require.NoError(t, err)
	end := "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1"
	_, err = owner.Exec(t.Context(), end, name)
	require.NoError(t, err)

	const ask = "SELECT COUNT(*) FROM sales"
	var n int64
	for range 2 { // the first may still have a connection that has ended
		for how, err := range map[string]error{
			"one":      db.Read(t.Context()).Raw(ask).Scan(&n).Error,
			"several":  db.Rows(t.Context(), store.Query{SQL: ask}),
			"snapshot": db.Snapshot(t.Context(), func(*gorm.DB) error { return nil }),
			"write":    db.Exec(t.Context(), insertPosting, "j", 1, 5, noon),
		} {
			require.Equal(t, fault.Unavailable, fault.KindOf(store.Explain(err, true)), "%s: %v", how, err)
		}
	}
}

// So is one whose disk is full: it refuses, and whoever asked is told that it is not
// their doing.
func TestADatabaseWithoutRoomIsAFault(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.URL(t, store.SQLite))
	fill := func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO login_tries (key, failures, last_at) VALUES (hex(zeroblob(1000000)), 0, ?)", noon).Error
	}
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec("PRAGMA max_page_count = 1").Error }), "no page more")
	err := db.Tx(t.Context(), fill)
	require.ErrorContains(t, err, "full")
	require.Equal(t, fault.Unsure, fault.KindOf(store.Explain(err, false)))
	err = db.Tx(t.Context(), func(tx *store.Tx) error {
		_, err := tx.ExecAll(t.Context(), store.Statement{SQL: "INSERT INTO login_tries (key, failures, last_at) VALUES (hex(zeroblob(1000000)), 0, ?)", Args: []any{noon}})
		return err
	})
	require.ErrorContains(t, err, "full")
	require.Equal(t, fault.Unsure, fault.KindOf(store.Explain(err, false)), "of several statements at once, too")
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error { return tx.Exec("PRAGMA max_page_count = 100000").Error }))
	require.NoError(t, db.Tx(t.Context(), fill), "and goes on")
}

// A file that cannot be opened for a while, as on a disk that is away, is no defect either, whoever asks and however.
func TestAFileThatIsAwayIsAFault(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t, store.SQLite)
	dir := filepath.Dir(strings.TrimPrefix(address, "sqlite:"))
	db := storetest.Open(t, address)
	reading, err := db.Read(t.Context()).Raw("SELECT name FROM sqlite_master").Rows() // others need a connection of their own
	require.NoError(t, err)
	require.NoError(t, os.Rename(dir, dir+" away"))

	const ask = "SELECT COUNT(*) FROM sales"
	var n int64
	for name, err := range map[string]error{
		"one":      db.Read(t.Context()).Raw(ask).Scan(&n).Error,
		"several":  db.Rows(t.Context(), store.Query{SQL: ask}),
		"snapshot": db.Snapshot(t.Context(), func(*gorm.DB) error { return nil }),
	} {
		require.Equal(t, fault.Unavailable, fault.KindOf(store.Explain(err, true)), "%s: %v", name, err)
	}
	require.NoError(t, errors.Join(reading.Close(), os.Rename(dir+" away", dir)))
	require.NoError(t, db.Read(t.Context()).Raw(ask).Scan(&n).Error, "it is back")
}
