package store

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// Counts is what was asked of PostgreSQL since the database was opened.
type Counts struct {
	Commits    int64 // transactions, with statements that were one by themselves
	Statements int64 // without BEGIN, COMMIT and ROLLBACK
	Trips      int64 // round trips, with those
}

// Sub is what came after earlier counts.
func (c Counts) Sub(earlier Counts) Counts {
	return Counts{c.Commits - earlier.Commits, c.Statements - earlier.Statements, c.Trips - earlier.Trips}
}

type counter struct{ commits, statements, trips atomic.Int64 }

// Counts returns what was asked so far; of SQLite, to which it is no way, nothing is counted.
func (db *DB) Counts() Counts {
	return Counts{db.count.commits.Load(), db.count.statements.Load(), db.count.trips.Load()}
}

const idle = 'I' // of a connection outside any transaction

// TraceQueryStart is pgx's.
func (c *counter) TraceQueryStart(ctx context.Context, conn *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	c.trips.Add(1)
	switch word, _, _ := strings.Cut(strings.ToLower(q.SQL), " "); word {
	case "begin", "rollback":
	case "commit":
		c.commits.Add(1)
	default:
		c.statements.Add(1)
		if conn.PgConn().TxStatus() == idle {
			c.commits.Add(1)
		}
	}
	return ctx
}

// TraceQueryEnd is pgx's.
func (*counter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart is pgx's.
func (c *counter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, b pgx.TraceBatchStartData) context.Context {
	c.trips.Add(1)
	c.statements.Add(int64(b.Batch.Len()))
	return ctx
}

// TraceBatchQuery is pgx's.
func (*counter) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd is pgx's.
func (*counter) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
