package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Loading restores a copy into an empty database, whole or not at all.
type Loading struct {
	Dialect Dialect // of the database that was copied
	Schema  int64   // of the schema when the copy was made
	MadeAt  time.Time
	Now     time.Time
	// Next returns the next piece, io.EOF after the last.
	Next func() (Piece, io.Reader, error)
	// Check is called after the last piece, with the rows that came, before anything stands.
	Check func(rows map[string]int64) (Tally, error)
}

// ErrNotEmpty refuses a database that holds something.
var ErrNotEmpty = errors.New("there is something in this database already; a backup is restored into an empty one")

// Load restores a copy into the empty database at a URL and migrates it. It leaves a mark that keeps the till
// from starting on it yet.
func (l Loading) Load(ctx context.Context, url string) error {
	path, toFile := strings.CutPrefix(url, "sqlite:")
	err := error(nil)
	switch {
	case toFile:
		err = l.loadFile(ctx, path)
	case l.Dialect == SQLite:
		err = l.loadAcross(ctx, url)
	default:
		err = l.loadTables(ctx, url)
	}
	if err != nil {
		return err
	}
	db, err := Open(ctx, url)
	if err != nil {
		return err
	}
	return errors.Join(db.Migrate(ctx), db.Close())
}

func (l Loading) loadTables(ctx context.Context, url string) (err error) {
	owner, err := openPostgresAs(ctx, url, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, owner.Close()) }()
	if err := l.prepare(ctx, owner); err != nil {
		return err
	}
	own, err := owner.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if undone := own.Rollback(context.WithoutCancel(ctx)); !errors.Is(undone, pgx.ErrTxClosed) {
			err = errors.Join(err, undone)
		}
	}()
	if err := l.fill(ctx, own); err != nil {
		return err
	}
	return own.Commit(ctx)
}

// prepare brings an empty database to the copy's version of the schema.
func (l Loading) prepare(ctx context.Context, db *DB) error {
	provider, err := db.migrations()
	if err != nil {
		return err
	}
	if err := l.known(db); err != nil {
		return err
	}
	if _, err := provider.UpTo(ctx, l.Schema); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	switch at, err := provider.GetDBVersion(ctx); {
	case err != nil:
		return err
	case at != l.Schema:
		return fmt.Errorf("the backup was made at version %d of the schema, and this database stands at %d; give one "+
			"without tables", l.Schema, at)
	}
	var full bool
	if err := db.pool.QueryRow(ctx, anything).Scan(&full); err != nil {
		return err
	}
	if full {
		return ErrNotEmpty
	}
	return nil
}

// anything says whether somebody has begun to use a database.
const anything = `SELECT EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM shops) OR EXISTS (SELECT 1 FROM postings)
	OR EXISTS (SELECT 1 FROM audit_entries)`

// known refuses a copy made by a newer program.
func (l Loading) known(db *DB) error {
	provider, err := db.migrations()
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	if newest := sources[len(sources)-1].Version; l.Schema > newest {
		return fmt.Errorf("the backup was made by a newer program (schema %d, this one knows %d); restore it with "+
			"that or a later one", l.Schema, newest)
	}
	return nil
}

// fill writes the tables with triggers off: what triggers do was done to the original rows.
func (l Loading) fill(ctx context.Context, own pgx.Tx) error {
	tables, err := copiedTables(ctx, own)
	if err != nil {
		return err
	}
	names := make([]string, len(tables))
	for i, table := range tables {
		names[i] = pgx.Identifier{table.Name}.Sanitize()
		if _, err := own.Exec(ctx, "ALTER TABLE "+names[i]+" DISABLE TRIGGER USER"); err != nil {
			return err
		}
	}
	if _, err := own.Exec(ctx, "TRUNCATE "+strings.Join(names, ", ")); err != nil {
		return err
	}
	rows := map[string]int64{}
	for {
		piece, from, err := l.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(tables, func(t Piece) bool { return t.Name == piece.Name }) {
			return fmt.Errorf("the backup has a table %q that is none of ours", piece.Name)
		}
		done, err := own.Conn().PgConn().CopyFrom(ctx, from, "COPY "+piece.sanitized()+" FROM STDIN")
		if err != nil {
			return fmt.Errorf("restore %s: %w", piece.Name, err)
		}
		rows[piece.Name] = done.RowsAffected()
	}
	tally, err := l.Check(rows)
	if err != nil {
		return err
	}
	if err := complete(rows, tables); err != nil {
		return err
	}
	if err := continueSequences(ctx, own, tally.Sequences); err != nil {
		return err
	}
	for _, name := range names {
		if _, err := own.Exec(ctx, "ALTER TABLE "+name+" ENABLE TRIGGER USER"); err != nil {
			return err
		}
	}
	_, err = own.Exec(ctx, markRestored, Moment(l.MadeAt), Moment(l.Now))
	return err
}

const markRestored = "INSERT INTO restored_backups (made_at, restored_at) VALUES ($1, $2)"

// complete says whether the copy had every table.
func complete(rows map[string]int64, tables []Piece) error {
	for _, table := range tables {
		if _, there := rows[table.Name]; !there && !slices.Contains(fleeting(), table.Name) {
			return fmt.Errorf("the backup lacks the table %s", table.Name)
		}
	}
	return nil
}

// continueSequences goes on numbering where the copy stood, so that no number comes twice.
func continueSequences(ctx context.Context, own pgx.Tx, last map[string]int64) error {
	for _, name := range slices.Sorted(maps.Keys(last)) {
		table, column, _ := strings.Cut(name, ".")
		if last[name] == 0 {
			continue // never used
		}
		_, err := own.Exec(ctx, "SELECT setval(pg_get_serial_sequence(quote_ident($1), $2), $3)",
			table, column, last[name])
		if err != nil {
			return fmt.Errorf("go on numbering %s: %w", name, err)
		}
	}
	return nil
}
