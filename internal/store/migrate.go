package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"

	"airtill/migrations"
)

const (
	migrationLock     = 0x61697274 // "airt", an arbitrary key of our own
	migrationLockPoll = 200 * time.Millisecond
	migrationPause    = 2 * time.Second // as long as one try for a table may take
	lockNotAvailable  = "55P03"
)

// Migrate brings the schema, ours and River's, to this binary's version. Processes that start together take
// turns; the later ones find nothing to do. On PostgreSQL it works as the owner, named by DATABASE_URL, and
// grants the program's role what it needs.
func (db *DB) Migrate(ctx context.Context) (err error) {
	if db.dialect == SQLite { // where a change of every row would take more memory than there may be
		_, err := db.sql.ExecContext(ctx, "PRAGMA temp_store = FILE")
		if err == nil {
			err = db.migrate(ctx)
		}
		_, back := db.sql.ExecContext(context.WithoutCancel(ctx), "PRAGMA temp_store = MEMORY")
		return errors.Join(err, back)
	}
	owner, err := openPostgresAs(ctx, db.url, queueBriefly)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, owner.Close()) }()
	err = owner.migrate(ctx)
	db.pool.Reset() // new connections take the role
	return err
}

func (db *DB) migrate(ctx context.Context) (err error) {
	unlock, err := db.lockMigrations(ctx, "")
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	provider, err := db.migrations()
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := refuseUnreleased(ctx, provider); err != nil {
		return err
	}
	if newer, err := isNewer(ctx, provider); err != nil || newer {
		return err
	}
	for {
		err := db.bringUp(ctx, provider)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != lockNotAvailable {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(migrationPause):
		}
	}
}

// queueBriefly ends a connection's wait for a table that somebody reads for long, as for a report: everybody else would
// queue for it behind the change of the schema, and the till would stand still.
func queueBriefly(ctx context.Context, conn *pgx.Conn, _ string) error {
	_, err := conn.Exec(ctx, "SET lock_timeout = '2s'")
	return err
}

// bringUp goes on from where an earlier try ended.
func (db *DB) bringUp(ctx context.Context, provider *goose.Provider) error {
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := db.insert.migrate(ctx); err != nil {
		return fmt.Errorf("migrate jobs: %w", err)
	}
	if db.dialect == Postgres {
		if err := errors.Join(db.grant(ctx, db.role), db.grantReading(ctx)); err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
	}
	return nil
}

// refuseUnreleased stops at a database made by migrations that no longer exist, which cannot be upgraded.
func refuseUnreleased(ctx context.Context, provider *goose.Provider) error {
	version, err := provider.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if first := provider.ListSources()[0].Version; 0 < version && version < first {
		return fmt.Errorf("this database was made before the first release: it stands at version %d, and the oldest "+
			"that can be brought up to date is %d. Nothing was changed. It was for development: make a new one, by "+
			"removing the SQLite file or by dropping and creating the PostgreSQL database, and run web migrate again",
			version, first)
	}
	return nil
}

// Newer says whether a newer program than this one made the schema. Then Migrate changes nothing, nor whom it grants
// what: which of the newer tables nobody may read is not known here.
func (db *DB) Newer(ctx context.Context) (bool, error) {
	provider, err := db.migrations()
	if err != nil {
		return false, err
	}
	return isNewer(ctx, provider)
}

func isNewer(ctx context.Context, provider *goose.Provider) (bool, error) {
	version, err := provider.GetDBVersion(ctx)
	if err != nil {
		return false, fmt.Errorf("read the version of the schema: %w", err)
	}
	sources := provider.ListSources()
	return version > sources[len(sources)-1].Version, nil
}

// Pending says whether Migrate would change the schema.
func (db *DB) Pending(ctx context.Context) (bool, error) {
	provider, err := db.migrations()
	if err != nil {
		return false, err
	}
	return provider.HasPending(ctx)
}

func (db *DB) migrations() (*goose.Provider, error) {
	files, err := timeline(migrations.FS, db.dialect)
	if err != nil {
		return nil, err
	}
	product := goose.DialectSQLite3
	if db.dialect == Postgres {
		product = goose.DialectPostgres
	}
	return goose.NewProvider(product, db.sql, files, goose.WithLogger(goose.NopLogger()))
}

// lockMigrations polls for the lock: a session waiting in pg_advisory_lock holds a snapshot that CREATE INDEX
// CONCURRENTLY waits for. On SQLite the file lock excludes other processes already. Whoever only needs the schema to
// stay as it is takes the lock as "_shared".
func (db *DB) lockMigrations(ctx context.Context, as string) (func() error, error) {
	if db.dialect == SQLite {
		return func() error { return nil }, nil
	}
	conn, err := db.sql.Conn(ctx)
	if err != nil {
		return nil, err
	}
	for {
		var got bool
		err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock"+as+"($1)", migrationLock).Scan(&got)
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		if got {
			return func() error { return unlockMigrations(conn, as) }, nil
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), conn.Close())
		case <-time.After(migrationLockPoll):
		}
	}
}

func unlockMigrations(conn *sql.Conn, as string) error {
	//nolint:forbidigo // the caller's context may be over, the lock must go all the same
	ctx, cancel := context.WithTimeout(context.Background(), postgresConnectFor)
	defer cancel()
	//nolint:gosec // a name of ours
	_, err := conn.ExecContext(ctx, "SELECT pg_advisory_unlock"+as+"($1)", migrationLock)
	return errors.Join(err, conn.Close())
}

// timeline joins each NNNN_name.sql with its NNNN_name.<dialect>.sql into one file, so that a version is one
// step on either database.
func timeline(files fs.FS, dialect Dialect) (fs.FS, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	joined := fstest.MapFS{}
	for _, name := range names {
		base, special, isSpecial := strings.Cut(strings.TrimSuffix(name, ".sql"), ".")
		if isSpecial && special != string(dialect) {
			continue
		}
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		if isSpecial {
			body = bytes.Replace(body, []byte("-- +goose Up\n"), nil, 1)
		}
		target := base + ".sql"
		if joined[target] == nil {
			joined[target] = &fstest.MapFile{}
		}
		// Glob sorts, and "0002_x.postgres.sql" sorts before "0002_x.sql".
		if isSpecial {
			joined[target].Data = append(joined[target].Data, body...)
		} else {
			joined[target].Data = append(append(body, '\n'), joined[target].Data...)
		}
	}
	return joined, nil
}
