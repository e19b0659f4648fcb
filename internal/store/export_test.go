package store

import (
	"context"
	"errors"
)

// MigrateTo brings the schema to an older version, as the program of that time did.
func (db *DB) MigrateTo(ctx context.Context, version int64) (err error) {
	owner := db
	if db.dialect == Postgres {
		if owner, err = openPostgresAs(ctx, db.url, nil); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, owner.Close()) }()
		defer db.pool.Reset()
	}
	provider, err := owner.migrations()
	if err != nil {
		return err
	}
	if _, err := provider.UpTo(ctx, version); err != nil {
		return err
	}
	if err := owner.insert.migrate(ctx); err != nil || db.dialect == SQLite {
		return err
	}
	return errors.Join(owner.grant(ctx, db.role), owner.grantReading(ctx))
}

// LockMigrations is what Migrate begins with.
func (db *DB) LockMigrations(ctx context.Context) (func() error, error) {
	return db.lockMigrations(ctx, "")
}

// Newest is the version that Migrate leads to.
func (db *DB) Newest() (int64, error) {
	provider, err := db.migrations()
	if err != nil {
		return 0, err
	}
	sources := provider.ListSources()
	return sources[len(sources)-1].Version, nil
}
