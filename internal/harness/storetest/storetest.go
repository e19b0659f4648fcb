// Package storetest gives a test a migrated database of its own: SQLite
// always, PostgreSQL too when TEST_DATABASE_URL names a server.
package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"airtill/internal/store"
	"airtill/migrations"
)

const setUpWithin = time.Minute

// Each runs a test on every database there is, as subtests "sqlite" and
// "postgres", in parallel, each with a fresh database.
func Each(t *testing.T, test func(t *testing.T, db *store.DB)) {
	t.Helper()
	EachAt(t, URL, test)
}

// EachAt is Each with databases from another place than URL.
func EachAt(t *testing.T, at Place, test func(t *testing.T, db *store.DB)) {
	t.Helper()
	for _, dialect := range dialects() {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			test(t, Open(t, at(t, dialect)))
		})
	}
}

// Place returns the address of a database for a test.
type Place func(t testing.TB, dialect store.Dialect) string

// EachURL is Each for tests that open the database themselves, more than once
// or from another process.
func EachURL(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	for _, dialect := range dialects() {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			test(t, URL(t, dialect))
		})
	}
}

// New returns one migrated database: PostgreSQL when TEST_DATABASE_URL is set,
// else SQLite. For tests whose point is elsewhere.
func New(t testing.TB) *store.DB {
	t.Helper()
	return NewAt(t, URL)
}

// NewAt is New with a database from another place than URL.
func NewAt(t testing.TB, at Place) *store.DB {
	t.Helper()
	all := dialects()
	return Open(t, at(t, all[len(all)-1]))
}

// Open opens a database for the length of the test.
func Open(t testing.TB, url string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	asked := heard(t, db)
	AtEnd(t, db, func(db *store.DB) {
		asked.requireFew(t, db)
		require.NoError(t, db.Close())
	})
	return db
}

// AtEnd is t.Cleanup for what is large. The testing package keeps the cleanups of a
// parallel test, and so what they hold, until every test is over.
func AtEnd[T any](t testing.TB, large T, end func(T)) {
	t.Helper()
	held := &large
	t.Cleanup(func() {
		end(*held)
		held = nil
	})
}

// AsOwner has the rest of a transaction be the owner's, who may do what the
// program may not. SQLite knows no owner.
func AsOwner(t testing.TB, tx *store.Tx) {
	t.Helper()
	if tx.Dialect() == store.Postgres {
		require.NoError(t, tx.Exec("SET LOCAL ROLE NONE").Error)
	}
}

// URL returns the address of a fresh migrated database, removed with the test.
func URL(t testing.TB, dialect store.Dialect) string {
	t.Helper()
	address, remove, err := Make(dialect)
	return removed(t, address, remove, err)
}

// Copy returns the address of a copy of a database that nobody has open, removed
// with the test: what many tests need is written once, into a database of Make.
func Copy(t testing.TB, original string) string {
	t.Helper()
	address, remove, err := copied(original)
	return removed(t, address, remove, err)
}

func removed(t testing.TB, address string, remove func() error, err error) string {
	t.Helper()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, remove()) })
	return address
}

// Make returns the address of a fresh migrated database, and what removes it, for
// one that outlives a test.
func Make(dialect store.Dialect) (address string, remove func() error, err error) {
	if dialect == store.Postgres {
		template, err := postgresTemplate()
		if err != nil {
			return "", nil, err
		}
		return clonePostgres(template)
	}
	body, err := sqliteTemplate()
	if err != nil {
		return "", nil, err
	}
	return writeSQLite(body)
}

func copied(original string) (address string, remove func() error, err error) {
	path, ok := strings.CutPrefix(original, "sqlite:")
	if !ok {
		u, err := url.Parse(original)
		if err != nil {
			return "", nil, err
		}
		return clonePostgres(strings.TrimPrefix(u.Path, "/"))
	}
	if wal, err := os.Stat(path + "-wal"); err == nil && wal.Size() > 0 {
		return "", nil, fmt.Errorf("somebody has %s open", path)
	}
	body, err := os.ReadFile(path)
	if err != nil {
		return "", nil, err
	}
	return writeSQLite(body)
}

func writeSQLite(body []byte) (address string, remove func() error, err error) {
	dir, err := os.MkdirTemp("", "airtill-test-*")
	if err != nil {
		return "", nil, err
	}
	path := filepath.Join(dir, "airtill.db")
	return "sqlite:" + path, func() error { return os.RemoveAll(dir) }, os.WriteFile(path, body, 0o600)
}

func dialects() []store.Dialect {
	if serverURL() == "" {
		return []store.Dialect{store.SQLite}
	}
	return []store.Dialect{store.SQLite, store.Postgres}
}

func serverURL() string { return os.Getenv("TEST_DATABASE_URL") }

// sqliteTemplate migrates one file per test binary; tests copy its bytes.
var sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "airtill-template-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "template.db")
	if err := migrated("sqlite:" + path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// server is what databases are made and dropped through: to connect anew each time would
// cost a fifth of that.
var server = sync.OnceValues(func() (*pgxpool.Pool, error) {
	return pgxpool.New(context.Background(), serverURL()) // of no test
})

// postgresTemplate migrates one database per version of the schema and server;
// tests clone it. Test binaries run side by side, so the first makes it under
// a lock and the others find it.
var postgresTemplate = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), setUpWithin)
	defer cancel()
	version, err := schemaVersion()
	if err != nil {
		return "", err
	}
	name := "airtill_template_" + version
	server, err := pgx.Connect(ctx, serverURL()) // the lock ends with it
	if err != nil {
		return "", err
	}
	defer server.Close(ctx)
	if _, err := server.Exec(ctx, "SELECT pg_advisory_lock(hashtext($1))", name); err != nil {
		return "", err
	}
	var ready bool
	if err := server.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate)", name).Scan(&ready); err != nil || ready {
		return name, err
	}
	for _, sql := range []string{"DROP DATABASE IF EXISTS " + name, "CREATE DATABASE " + name} {
		if _, err := server.Exec(ctx, sql); err != nil {
			return "", err
		}
	}
	if err := migrated(databaseURL(name)); err != nil {
		return "", err
	}
	_, err = server.Exec(ctx, "ALTER DATABASE "+name+" WITH is_template true") // only now may others use it
	return name, err
})

func migrated(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), setUpWithin)
	defer cancel()
	db, err := store.Open(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Migrate(ctx)
}

func clonePostgres(template string) (address string, remove func() error, err error) {
	name := "airtill_test_" + strings.ToLower(store.NewID(time.Now()))
	remove = func() error { return exec(fmt.Sprintf("DROP DATABASE %s WITH (FORCE)", name)) }
	strategy, err := cloneStrategy()
	if err != nil {
		return "", nil, err
	}
	return databaseURL(name), remove, exec(fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s %s", name, template, strategy))
}

// cloneStrategy has PostgreSQL copy the template's files, which costs it half as much
// as writing each page to its log, its own choice since version 15.
var cloneStrategy = sync.OnceValues(func() (strategy string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), setUpWithin)
	defer cancel()
	server, err := server()
	if err != nil {
		return "", err
	}
	const newer = "SELECT CASE WHEN current_setting('server_version_num')::int >= 150000 THEN 'STRATEGY file_copy' ELSE '' END"
	err = server.QueryRow(ctx, newer).Scan(&strategy)
	return strategy, err
})

func exec(sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), setUpWithin) // a test's is over in its cleanup
	defer cancel()
	server, err := server()
	if err != nil {
		return err
	}
	_, err = server.Exec(ctx, sql)
	return err
}

func databaseURL(name string) string {
	u, err := url.Parse(serverURL())
	if err != nil {
		return ""
	}
	u.Path = "/" + name
	return u.String()
}

func schemaVersion() (string, error) {
	hash := sha256.New()
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return "", err
	}
	for _, name := range names {
		body, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			return "", err
		}
		hash.Write(body)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8]), nil
}
