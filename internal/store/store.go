// Package store opens the database, PostgreSQL or embedded SQLite, and is the
// only door to transactions, jobs inside transactions, and the schema.
package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// Dialect names a database product.
type Dialect string

// The two databases; everything holds on both.
const (
	Postgres Dialect = "postgres"
	SQLite   Dialect = "sqlite"
)

// DB is an open database, safe for concurrent use.
type DB struct {
	dialect Dialect
	url     string
	role    string // taken by connections if it exists; "" on SQLite
	write   *gorm.DB
	read    *gorm.DB // on SQLite a query-only pool, so that readers never wait for the writer
	sql     *sql.DB
	pool    *pgxpool.Pool // nil on SQLite
	lines   *lines        // the pool's, nil on SQLite
	insert  enqueuer
	count   *counter
	damage  damage
	closers []func() error
}

// Open opens the database at a URL: postgres://… or sqlite:PATH. A SQLite file is locked for this process
// until Close, and a second Open fails: two processes with a writer each would keep counters waiting. The
// schema is not touched: call Migrate.
func Open(ctx context.Context, url string) (*DB, error) {
	path, isSQLite := strings.CutPrefix(url, "sqlite:")
	switch {
	case isSQLite && path != "" && path != ":memory:" && !strings.HasPrefix(path, "file:"):
		return openSQLite(ctx, path)
	case strings.HasPrefix(url, "postgres://"), strings.HasPrefix(url, "postgresql://"):
		return openPostgres(ctx, url)
	}
	return nil, errors.New("open database: DATABASE_URL must begin with postgres:// or be sqlite:PATH, a file's path")
}

// Dialect says which database this is.
func (db *DB) Dialect() Dialect { return db.dialect }

// Close closes every connection and releases the SQLite file.
func (db *DB) Close() error {
	var all []error
	for _, end := range slices.Backward(db.closers) {
		all = append(all, end())
	}
	return errors.Join(all...)
}

// Damaged says whether somebody came upon damage in a SQLite file since it was opened.
func (db *DB) Damaged() bool { return db.damage.found.Load() }

// Ping says whether the database answers, and nobody has come upon damage in its file.
func (db *DB) Ping(ctx context.Context) error {
	if db.Damaged() {
		return errDamaged
	}
	return db.sql.PingContext(ctx)
}

// Read returns a session for queries outside any transaction. On SQLite it
// refuses writes.
func (db *DB) Read(ctx context.Context) *gorm.DB { return db.read.WithContext(ctx) }

// NewJobClient returns a River client that works jobs with a configuration, of which Tx.Enqueue needs nothing.
func (db *DB) NewJobClient(config *river.Config) (JobClient, error) {
	return db.insert.newWorker(config)
}

// gormConfig is the same on both: no transactions of GORM's own, no logs (statements carry account numbers),
// times in UTC to the microsecond, which is all PostgreSQL stores.
func gormConfig() *gorm.Config {
	return &gorm.Config{
		SkipDefaultTransaction: true,
		TranslateError:         true,
		Logger:                 logger.Discard,
		//nolint:forbidigo // GORM's own stamp; rows get theirs from Deps.Now
		NowFunc: func() time.Time { return Moment(time.Now()) },
	}
}

// Moment is a time as both databases store it: UTC, whole microseconds.
func Moment(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// MomentText is a moment as a text that both databases store alike.
func MomentText(t time.Time) string { return Moment(t).Format("2006-01-02 15:04:05.999999999-07:00") }
