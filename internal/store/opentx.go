package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// openTx lets River and pgx work inside a transaction that database/sql began
// on the same connection. That transaction is not theirs to end: Begin makes
// savepoints, and only those commit or roll back.
type openTx struct {
	conn       *pgx.Conn
	savepoint  string // "" for the outer transaction
	savepoints *int
	done       bool
}

func newOpenTx(conn *pgx.Conn) *openTx { return &openTx{conn: conn, savepoints: new(int)} }

var errNotOurs = errors.New("the transaction belongs to store.Tx")

// Begin opens a savepoint.
func (t *openTx) Begin(ctx context.Context) (pgx.Tx, error) {
	*t.savepoints++
	inner := &openTx{conn: t.conn, savepoint: fmt.Sprintf("inner_%d", *t.savepoints), savepoints: t.savepoints}
	_, err := t.conn.Exec(ctx, "SAVEPOINT "+inner.savepoint)
	return inner, err
}

// Commit releases the savepoint.
func (t *openTx) Commit(ctx context.Context) error { return t.end(ctx, "RELEASE SAVEPOINT ") }

// Rollback goes back to the savepoint.
func (t *openTx) Rollback(ctx context.Context) error { return t.end(ctx, "ROLLBACK TO SAVEPOINT ") }

func (t *openTx) end(ctx context.Context, how string) error {
	switch {
	case t.savepoint == "":
		return errNotOurs
	case t.done:
		return pgx.ErrTxClosed
	}
	t.done = true
	_, err := t.conn.Exec(ctx, how+t.savepoint)
	return err
}

// CopyFrom copies rows into a table.
func (t *openTx) CopyFrom(
	ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource,
) (int64, error) {
	return t.conn.CopyFrom(ctx, table, columns, rows)
}

// SendBatch sends many statements in one round trip.
func (t *openTx) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return t.conn.SendBatch(ctx, b)
}

// LargeObjects is never called.
func (t *openTx) LargeObjects() pgx.LargeObjects { panic("airtill stores no large objects") }

// Prepare prepares a statement.
func (t *openTx) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	return t.conn.Prepare(ctx, name, sql)
}

// Exec runs a statement.
func (t *openTx) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return t.conn.Exec(ctx, sql, args...)
}

// Query asks for rows.
func (t *openTx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return t.conn.Query(ctx, sql, args...)
}

// QueryRow asks for one row.
func (t *openTx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return t.conn.QueryRow(ctx, sql, args...)
}

// Conn is the connection beneath.
func (t *openTx) Conn() *pgx.Conn { return t.conn }
