package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	gormpostgres "gorm.io/driver/postgres"
	"gorm.io/gorm"
)

const (
	postgresConns      = 20 // of the usual 100: five processes fit
	postgresFewest     = 4  // that DATABASE_URL may allow: jobs listen on one, and the lock of a migration takes one
	postgresConnectFor = 5 * time.Second
	silentFor          = 30 * time.Second // for the network to answer anything
)

func openPostgres(ctx context.Context, address string) (*DB, error) {
	return openPostgresAs(ctx, address, takeRole)
}

// openPostgresAs opens the database, with connections that take a role; nil: they stay who DATABASE_URL says.
func openPostgresAs(
	ctx context.Context, address string, take func(context.Context, *pgx.Conn, string) error,
) (*DB, error) {
	config, err := postgresConfig(address)
	if err != nil {
		return nil, err
	}
	count, lines := new(counter), new(lines)
	config.ConnConfig.Tracer = count
	config.ConnConfig.DialFunc = lines.opened(config.ConnConfig.DialFunc)
	role := roleOf(config.ConnConfig.RuntimeParams)
	settings := settingsBeside(config.ConnConfig.RuntimeParams)
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		encodeInPlace(conn.TypeMap())
		if err := settings.set(ctx, conn); err != nil || take == nil {
			return err
		}
		return take(ctx, conn, role)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	count.renew = pool.Reset
	db := &DB{
		dialect: Postgres, url: address, role: role, pool: pool, count: count, lines: lines,
		closers: []func() error{func() error { pool.Close(); return nil }},
	}
	if err := db.connectPostgres(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open database: %w", err), db.Close())
	}
	return db, nil
}

// postgresConfig is what is the same for all connections.
func postgresConfig(address string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("open database: DATABASE_URL cannot be read%s", unread(address, err))
	}
	least := int32(postgresConns)
	if strings.Contains(address, "pool_max_conns=") { // otherwise pgx has gone by the machine's processors
		least = postgresFewest
	}
	config.MaxConns = max(config.MaxConns, least)
	config.ConnConfig.ConnectTimeout = postgresConnectFor
	config.ConnConfig.DialFunc = (&net.Dialer{Control: endSilence}).DialContext
	return config, nil
}

// unread says why an address cannot be read. It prints neither the address nor, where that is torn, the cause: either
// has the password in it.
func unread(address string, err error) string {
	var cause *pgconn.ParseConfigError
	if _, torn := url.Parse(address); torn != nil || !errors.As(err, &cause) {
		return "; write it like postgres://user:password@host:5432/airtill, with %40 for an @ in the password, and " +
			"other signs likewise"
	}
	cause.ConnString = ""
	_, why, _ := strings.Cut(cause.Error(), ": ")
	return ": " + why
}

func (db *DB) connectPostgres(ctx context.Context) error {
	// GORM works on database/sql over River's own pool, so that one connection can carry both in one
	// transaction.
	db.sql = stdlib.OpenDBFromPool(db.pool)
	db.closers = append(db.closers, db.sql.Close)
	if err := db.refuseUnfit(ctx); err != nil {
		return err
	}
	var err error
	if db.write, err = gorm.Open(gormpostgres.New(gormpostgres.Config{Conn: db.sql}), gormConfig()); err != nil {
		return err
	}
	if err := markAway(db.write); err != nil {
		return err
	}
	db.read = db.write
	db.insert, err = newRiver(riverpgxv5.New(db.pool), func(ctx context.Context, tx *Tx) (pgx.Tx, error) {
		return tx.late.begun(ctx)
	})
	return err
}

var errShared = errors.New("a pooler gives its connections to others between transactions, and with them roles, " +
	"locks and settings: let it pool sessions, or connect to PostgreSQL itself")

// refuseUnfit stops at a database that cannot hold every text, and at a pooler of transactions.
func (db *DB) refuseUnfit(ctx context.Context) error {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if encoding := conn.Conn().PgConn().ParameterStatus("server_encoding"); encoding != "UTF8" {
		return fmt.Errorf("its encoding is %s and must be UTF8: make another by CREATE DATABASE airtill "+
			"TEMPLATE template0 ENCODING UTF8 LOCALE 'C'", encoding)
	}
	return db.refuseSharing(ctx, conn)
}

// refuseSharing stops at a pooler of transactions, where two connections that are open are one of the server's.
func (db *DB) refuseSharing(ctx context.Context, one *pgxpool.Conn) error {
	first, err := serving(ctx, one)
	if err != nil || first == one.Conn().PgConn().PID() { // nobody stands between
		return err
	}
	other, err := db.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer other.Release()
	second, err := serving(ctx, other)
	if err == nil && first == second {
		err = errShared
	}
	return err
}

// serving is the number of the server's process that answers.
func serving(ctx context.Context, conn *pgxpool.Conn) (pid uint32, err error) {
	err = conn.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeExec).Scan(&pid)
	return pid, err
}
