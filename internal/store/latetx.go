package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
)

// ownTx is the transaction under a Tx: one of database/sql, or a lateTx.
type ownTx interface {
	gorm.ConnPool
	gorm.TxCommitter
}

// lateTx is a transaction of PostgreSQL that begins with its first statements: BEGIN travels with a batch, and
// ahead of anything else. Without statements it never begins.
type lateTx struct {
	ctx  context.Context // as in database/sql
	sql  *sql.Conn
	conn *pgx.Conn // the same
	tx   pgx.Tx    // nil until it begins
	err  error     // why it could not begin, or that it has ended: later statements must not pass for the whole
	done bool      // COMMIT went with the last statements
	soon []soon    // statements that are to be sent with others
}

// soon are statements that nobody waits for yet, and what is said of the rows they touched.
type soon struct {
	statements []Statement
	check      func(rows []int64) error
}

// flush sends what is to be sent, in one round trip.
func (t *lateTx) flush(ctx context.Context) error {
	due := t.soon
	if t.soon = nil; len(due) == 0 {
		return nil
	}
	var all []Statement
	for _, some := range due {
		all = append(all, some.statements...)
	}
	rows, err := t.exec(ctx, all)
	for i := 0; i < len(due) && err == nil; i++ {
		n := len(due[i].statements)
		err = due[i].check(rows[:n])
		rows = rows[n:]
	}
	return err
}

// exec sends statements together, and returns how many rows each touched.
func (t *lateTx) exec(ctx context.Context, statements []Statement) (rows []int64, err error) {
	err = t.send(ctx, func(batch *pgx.Batch) {
		for _, s := range statements {
			batch.Queue(numbered(s.SQL), s.Args...)
		}
	}, func(results pgx.BatchResults) error {
		for range statements {
			tag, err := results.Exec()
			if err != nil {
				return err
			}
			rows = append(rows, tag.RowsAffected())
		}
		return nil
	})
	return rows, err
}

// begun returns the transaction, begun if it was not.
func (t *lateTx) begun(ctx context.Context) (pgx.Tx, error) {
	if err := t.flush(ctx); err != nil {
		return nil, err
	}
	if t.tx == nil && t.err == nil {
		tx, err := t.conn.Begin(ctx)
		t.began(ctx, tx, err)
	}
	return t.tx, t.err
}

// began takes the result of BEGIN. An error may also be of a statement sent with it: then the database was
// reached.
func (t *lateTx) began(ctx context.Context, tx pgx.Tx, err error) {
	if err == nil {
		t.tx = tx
		return
	}
	if t.err = err; away(err) || ctx.Err() != nil {
		t.err = unavailable(err)
	}
}

// send sends a batch and calls read with its results. Nothing else may be asked meanwhile.
func (t *lateTx) send(ctx context.Context, queue func(*pgx.Batch), read func(pgx.BatchResults) error) (err error) {
	if err := t.flush(ctx); err != nil {
		return err
	}
	if t.err != nil {
		return t.err
	}
	batch := &pgx.Batch{}
	if t.tx == nil {
		batch.BeginTx(pgx.TxOptions{})
	}
	queue(batch)
	results := t.conn.SendBatch(ctx, batch)
	defer func() {
		if closed := results.Close(); err == nil {
			err = closed
		}
	}()
	if t.tx == nil {
		_, err := results.Exec()
		if t.began(ctx, results.Tx(), err); t.err != nil {
			return t.err
		}
	}
	return read(results)
}

// sendLast sends the last statements, and COMMIT with them.
func (t *lateTx) sendLast(ctx context.Context, statements []Statement) error {
	if t.err != nil {
		return t.err
	}
	_, err := t.exec(ctx, append(slices.Clip(statements), Statement{SQL: "commit"}))
	var refused *pgconn.PgError
	switch {
	case err == nil:
		t.done, t.err = true, sql.ErrTxDone
	case errors.As(err, &refused) && !away(err), pgconn.SafeToRetry(err): // nothing stands
	default:
		return unsure(err)
	}
	return marked(err)
}

// Commit ends the transaction, unless its context has ended, as in database/sql.
func (t *lateTx) Commit() error {
	switch {
	case t.done:
		return nil
	case t.err != nil:
		return errors.Join(sql.ErrTxDone, t.err) // nothing stands
	case t.ctx.Err() != nil:
		return t.ctx.Err()
	case t.tx == nil:
		return nil
	}
	return t.tx.Commit(t.ctx)
}

// Rollback undoes it.
func (t *lateTx) Rollback() error {
	switch {
	case t.done:
		return sql.ErrTxDone
	case t.tx == nil:
		return nil
	}
	if err := t.tx.Rollback(t.ctx); !errors.Is(err, pgx.ErrTxClosed) {
		return err
	}
	return sql.ErrTxDone
}

// ExecContext runs a statement.
func (t *lateTx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if _, err := t.begun(ctx); err != nil {
		return nil, err
	}
	return t.sql.ExecContext(ctx, query, args...)
}

// QueryContext asks for rows.
func (t *lateTx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if _, err := t.begun(ctx); err != nil {
		return nil, err
	}
	return t.sql.QueryContext(ctx, query, args...)
}

// QueryRowContext asks for one row. Only the row reports an error.
func (t *lateTx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if _, err := t.begun(ctx); err != nil {
		over, cancel := context.WithCancelCause(ctx)
		cancel(err)
		return t.sql.QueryRowContext(over, query, args...)
	}
	return t.sql.QueryRowContext(ctx, query, args...)
}

// PrepareContext prepares a statement.
func (t *lateTx) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	if _, err := t.begun(ctx); err != nil {
		return nil, err
	}
	return t.sql.PrepareContext(ctx, query)
}
