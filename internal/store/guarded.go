package store

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Guarded runs an UPDATE that may touch one row and, if it did, INSERTs of the form "INSERT INTO … SELECT …"
// without a FROM, in a transaction of their own: on PostgreSQL in one statement and one round trip. It says
// whether the UPDATE touched its row; if not, nothing was changed. An error of kind fault.Unsure is as in Tx.
func (db *DB) Guarded(ctx context.Context, guard Statement, then ...Statement) (bool, error) {
	if db.pool == nil {
		return db.guardedEach(ctx, guard, then)
	}
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return false, unavailable(err)
	}
	defer conn.Release()
	one := guardedSQL(guard, then)
	tag, err := conn.Exec(ctx, numbered(one.SQL), one.Args...)
	var refused *pgconn.PgError
	switch {
	case err == nil:
		return tag.RowsAffected() == 1, nil
	case errors.As(err, &refused) && !away(err):
		return false, db.translated(err)
	case pgconn.SafeToRetry(err): // nothing was sent
		return false, unavailable(err)
	}
	return false, unsure(err)
}

// errUntouched rolls back a Guarded whose UPDATE found no row.
var errUntouched = errors.New("the row is not as it was")

func (db *DB) guardedEach(ctx context.Context, guard Statement, then []Statement) (bool, error) {
	err := db.Tx(ctx, func(tx *Tx) error {
		rows, err := tx.ExecAll(ctx, guard)
		if err == nil && rows[0] != 1 {
			err = errUntouched
		}
		if err == nil {
			_, err = tx.ExecAll(ctx, then...)
		}
		return err
	})
	if errors.Is(err, errUntouched) {
		return false, nil
	}
	return err == nil, err
}

// Joined makes one statement of an INSERT of one row and more in Guarded's form; on SQLite they stay as they
// are.
func (tx *Tx) Joined(first Statement, then ...Statement) []Statement {
	if tx.late == nil {
		return append([]Statement{first}, then...)
	}
	return []Statement{guardedSQL(first, then)}
}

// guardedSQL makes one statement, in which each INSERT takes its rows from what the UPDATE touched.
func guardedSQL(guard Statement, then []Statement) Statement {
	var b strings.Builder
	b.WriteString("WITH touched AS (" + guard.SQL + " RETURNING 1)")
	args := guard.Args
	for i, s := range then {
		b.WriteString(", then" + strconv.Itoa(i) + " AS (" + s.SQL)
		if strings.Contains(s.SQL, "FROM ") {
			b.WriteString(", touched)")
		} else {
			b.WriteString(" FROM touched)")
		}
		args = append(args, s.Args...)
	}
	b.WriteString(" SELECT 1 FROM touched")
	return Statement{SQL: b.String(), Args: args}
}
