package store

import (
	"context"
	"slices"
	"strings"
	"time"
)

// finalPause is how long FinalID rests before it looks again.
const finalPause = 10 * time.Millisecond

// FinalID returns an id up to which no row of an append-only table can appear any more. PostgreSQL gives ids in
// order, but who got a low one may commit after who got a high one. So it takes the highest id there is, and waits
// for those who were writing to the table just then. It fails if they stay longer than the context.
func (db *DB) FinalID(ctx context.Context, table string) (id int64, err error) {
	if db.dialect == SQLite { // one writer: ids are committed in order
		return Value[int64](db.Read(ctx).Raw("SELECT COALESCE(MAX(id), 0) FROM " + table))
	}
	id, before, err := db.writers(ctx, table)
	still := before
	for err == nil && slices.ContainsFunc(before, func(w string) bool { return slices.Contains(still, w) }) {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(finalPause):
		}
		_, still, err = db.writers(ctx, table)
	}
	return id, err
}

// writers returns the highest committed id of a table, and then the transactions that write to it. Each has locked
// the table before it got an id, and keeps that lock until its rows are seen by others. The id is of the statement's
// snapshot, which is older than its look at the locks.
func (db *DB) writers(ctx context.Context, table string) (id int64, writing []string, err error) {
	var names string
	err = db.Rows(ctx, Query{
		SQL: "SELECT COALESCE((SELECT MAX(id) FROM " + table + `), 0), COALESCE(string_agg(virtualtransaction, ','), '')
FROM pg_locks WHERE locktype = 'relation' AND relation = '` + table + `'::regclass AND mode = 'RowExclusiveLock'
AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
		Row: func(scan Scanner) error { return scan(&id, &names) },
	})
	return id, strings.FieldsFunc(names, func(r rune) bool { return r == ',' }), err
}
