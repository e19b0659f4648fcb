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
	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"airtill/internal/store"
	"airtill/migrations"
)

const setUpWithin = time.Minute

// Each runs a test on every database there is, as subtests "sqlite" and
// "postgres", in parallel, each with a fresh database.
func Each(t *testing.T, test func(t *testing.T, db *store.DB)) {
	t.Helper()
	for _, dialect := range dialects() {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			test(t, Open(t, URL(t, dialect)))
		})
	}
}

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
	all := dialects()
	return Open(t, URL(t, all[len(all)-1]))
}

// Open opens a database for the length of the test.
func Open(t testing.TB, url string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// URL returns the address of a fresh migrated database, removed with the test.
func URL(t testing.TB, dialect store.Dialect) string {
	t.Helper()
	if dialect == store.Postgres {
		return clonePostgres(t)
	}
	path := filepath.Join(t.TempDir(), "airtill.db")
	body, err := sqliteTemplate()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, body, 0o600))
	return "sqlite:" + path
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
	server, err := pgx.Connect(ctx, serverURL())
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

func clonePostgres(t testing.TB) string {
	t.Helper()
	template, err := postgresTemplate()
	require.NoError(t, err)
	name := "airtill_test_" + strings.ToLower(ulid.Make().String())
	exec(t, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s", name, template))
	t.Cleanup(func() { exec(t, fmt.Sprintf("DROP DATABASE %s WITH (FORCE)", name)) })
	return databaseURL(name)
}

func exec(t testing.TB, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), setUpWithin) // t.Context is over in a cleanup
	defer cancel()
	server, err := pgx.Connect(ctx, serverURL())
	require.NoError(t, err)
	defer server.Close(ctx)
	_, err = server.Exec(ctx, sql)
	require.NoError(t, err)
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
