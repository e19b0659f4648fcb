package store

import (
	"context"
	"database/sql"
	"hash/fnv"

	"gorm.io/gorm"
)

// Lock waits until no other transaction holds a name, and holds it until this one ends. SQLite has one writer
// anyway.
func (tx *Tx) Lock(name string) error { return tx.Rows(tx.Statement.Context, tx.Locked(name)...) }

// Locked is Lock followed by questions that must come after it.
func (tx *Tx) Locked(name string, then ...Query) []Query {
	if tx.db.dialect == SQLite {
		return then
	}
	return append([]Query{{SQL: "SELECT pg_advisory_xact_lock(?)", Args: []any{lockKey(name)}}}, then...)
}

// TryLock is Lock without waiting; it says whether it got the name.
func (tx *Tx) TryLock(name string) (got bool, err error) {
	if tx.db.dialect == SQLite {
		return true, nil
	}
	return Value[bool](tx.Raw("SELECT pg_try_advisory_xact_lock(?)", lockKey(name)))
}

// lockKey is 64 bits made from the name: two names with the same key merely wait for each other.
func lockKey(name string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // a hash never fails
	return int64(h.Sum64())
}

// Alone says whether no other process can open this database: a SQLite file is locked by one.
func (db *DB) Alone() bool { return db.dialect == SQLite }

// Snapshot runs reads that must agree with each other.
func (db *DB) Snapshot(ctx context.Context, read func(*gorm.DB) error) error {
	options := &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead}
	if db.dialect == SQLite { // every transaction is one there
		options = nil
	}
	return marked(db.Read(ctx).Transaction(read, options))
}
