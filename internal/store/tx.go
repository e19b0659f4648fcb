package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"airtill/internal/fault"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river"
	"gorm.io/gorm"
)

// Tx is an open write transaction: a GORM session that can also enqueue jobs.
type Tx struct {
	*gorm.DB
	db          *DB
	own         ownTx
	late        *lateTx // the same on PostgreSQL, nil on SQLite
	afterCommit []func()
}

// Tx runs fn in a write transaction and commits it if fn returns nil. It rolls back on an error or a panic,
// which it passes on. Inside fn there is no HTTP, no Redis and no second transaction: SQLite has one writer.
//
// An error of kind fault.Unsure means that the connection broke during COMMIT: the change may or may not
// stand, so look before acting on either.
func (db *DB) Tx(ctx context.Context, fn func(tx *Tx) error) (err error) {
	tx, release, err := db.begin(ctx)
	if err != nil {
		return unavailable(err)
	}
	defer release()
	committed := false
	defer func() {
		if !committed {
			if rollback := tx.own.Rollback(); rollback != nil && !errors.Is(rollback, sql.ErrTxDone) && err != nil {
				err = errors.Join(err, rollback)
			}
		}
	}()
	if err := fn(tx); err != nil {
		return err
	}
	if tx.late != nil {
		if err := tx.failed(tx.late.flush(ctx)); err != nil {
			return err
		}
	}
	if err := commit(ctx, tx.own); err != nil {
		return err
	}
	committed = true
	for _, f := range tx.afterCommit {
		f()
	}
	return nil
}

// Exec runs one write in a transaction of its own.
func (db *DB) Exec(ctx context.Context, sql string, args ...any) error {
	return db.Tx(ctx, func(tx *Tx) error { return tx.Exec(sql, args...).Error })
}

// MustExec is a write that fails with none if it finds no row.
func (tx *Tx) MustExec(none error, sql string, args ...any) error {
	written := tx.Exec(sql, args...)
	if written.Error == nil && written.RowsAffected == 0 {
		return none
	}
	return written.Error
}

func (db *DB) begin(ctx context.Context) (tx *Tx, release func(), err error) {
	patience, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		tx, release, err = db.beginOnce(ctx)
		if !locked(err) || patience.Err() != nil {
			return tx, release, err
		}
	}
}

func (db *DB) beginOnce(ctx context.Context) (*Tx, func(), error) {
	conn, err := db.sql.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	release := func() { _ = conn.Close() } // returns the connection to its pool; a second Close is the only error
	tx := &Tx{DB: db.write.Session(&gorm.Session{NewDB: true, Context: ctx}), db: db}
	if db.dialect == Postgres {
		tx.late = &lateTx{ctx: ctx, sql: conn}
		tx.own = tx.late
		err = conn.Raw(func(driverConn any) error {
			tx.late.conn = driverConn.(*stdlib.Conn).Conn()
			return nil
		})
	} else {
		tx.own, err = conn.BeginTx(ctx, nil)
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	tx.Statement.ConnPool = tx.own
	return tx, release, nil
}

// commit tells "refused, nothing stands" from "nobody knows". It does not ask pgconn.SafeToRetry, which takes a COMMIT
// that was sent, and whose connection broke then, for one that never was.
func commit(ctx context.Context, own ownTx) error {
	err := own.Commit()
	if err == nil {
		return nil
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) && !away(err) || errors.Is(err, sql.ErrTxDone) ||
		errors.Is(err, pgx.ErrTxCommitRollback) ||
		err == ctx.Err() { //nolint:errorlint // wrapped, it says that the context ended while COMMIT was on its way
		return fmt.Errorf("commit: %w", err)
	}
	return unsure(err)
}

// Enqueue inserts a job that exists exactly if the transaction commits.
func (tx *Tx) Enqueue(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) error {
	return fault.Doing("enqueue "+args.Kind(), tx.db.insert.insertTx(ctx, tx, args, opts))
}

// AfterCommit runs f once the transaction has committed, in the caller's goroutine: the place to wake others,
// never to remember anything.
func (tx *Tx) AfterCommit(f func()) { tx.afterCommit = append(tx.afterCommit, f) }

// ForUpdate is the clause that locks the rows of a hand-written SELECT until
// the end of the transaction. SQLite's only writer needs none.
func (tx *Tx) ForUpdate() string {
	if tx.db.dialect == Postgres {
		return " FOR UPDATE"
	}
	return ""
}

// ForShare is ForUpdate for rows that must only stay unchanged: many transactions may hold one at once.
func (tx *Tx) ForShare() string {
	if tx.db.dialect == Postgres {
		return " FOR SHARE"
	}
	return ""
}

// Dialect says which database the transaction is on.
func (tx *Tx) Dialect() Dialect { return tx.db.dialect }
