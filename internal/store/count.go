package store

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Counts is how much PostgreSQL was asked since the database was opened.
type Counts struct {
	Commits    int64 // transactions, single statements included
	Statements int64 // without BEGIN, COMMIT and ROLLBACK
	Trips      int64 // round trips, with those
}

// Sub is the difference from earlier counts.
func (c Counts) Sub(earlier Counts) Counts {
	return Counts{c.Commits - earlier.Commits, c.Statements - earlier.Statements, c.Trips - earlier.Trips}
}

type counter struct {
	commits, statements, trips atomic.Int64

	renew func() // has all connections made anew
}

// Counts returns the counts so far. SQLite, in the same process, is not counted.
func (db *DB) Counts() Counts {
	return Counts{db.count.commits.Load(), db.count.statements.Load(), db.count.trips.Load()}
}

const idle = 'I' // outside any transaction

// TraceQueryStart is pgx's.
func (c *counter) TraceQueryStart(ctx context.Context, conn *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	c.trips.Add(1)
	c.asked(conn, q.SQL)
	return ctx
}

// asked counts statements that travel together. PostgreSQL makes a transaction of those that are not in one
// and begin none.
func (c *counter) asked(conn *pgx.Conn, statements ...string) {
	alone := conn.PgConn().TxStatus() == idle
	for _, sql := range statements {
		switch word, _, _ := strings.Cut(sql, " "); {
		case strings.EqualFold(word, "begin"), strings.EqualFold(word, "rollback"):
			alone = false
		case strings.EqualFold(word, "commit"):
			alone = false
			c.commits.Add(1)
		default:
			c.statements.Add(1)
		}
	}
	if alone {
		c.commits.Add(1)
	}
}

// planChanged is PostgreSQL's code for a prepared statement whose columns are others since a migration.
const planChanged = "0A000"

// takesNoWrites is PostgreSQL's code for a session or a server that is read-only.
const takesNoWrites = "25006"

// ended gives up all connections once one has a statement that a migration changed: the others have it, too, and
// each would fail at it, some for as long as they last. So it does once one takes no writes, since they are sessions
// of a server whose place another has taken, or were made read-only when they began: new ones may take them.
func (c *counter) ended(err error) {
	if err == nil {
		return // what follows allocates, and most questions are answered
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) && (refused.Code == planChanged || refused.Code == takesNoWrites) {
		c.renew()
	}
}

// TraceQueryEnd is pgx's.
func (c *counter) TraceQueryEnd(_ context.Context, _ *pgx.Conn, q pgx.TraceQueryEndData) {
	c.ended(q.Err)
}

// TraceBatchStart is pgx's.
func (c *counter) TraceBatchStart(ctx context.Context, conn *pgx.Conn, b pgx.TraceBatchStartData) context.Context {
	c.trips.Add(1)
	statements := make([]string, b.Batch.Len())
	for i, q := range b.Batch.QueuedQueries {
		statements[i] = q.SQL
	}
	c.asked(conn, statements...)
	return ctx
}

// TraceBatchQuery is pgx's.
func (c *counter) TraceBatchQuery(_ context.Context, _ *pgx.Conn, q pgx.TraceBatchQueryData) {
	c.ended(q.Err)
}

// TraceBatchEnd is pgx's.
func (*counter) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
