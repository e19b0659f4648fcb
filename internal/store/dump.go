package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Piece is one part of a copy of a database: a table of PostgreSQL, or a whole SQLite file, which has no
// columns.
type Piece struct {
	Name    string
	Columns []string
}

// Tally is what a copy holds: the rows of each table, and the last numbers of PostgreSQL's sequences.
type Tally struct {
	Rows      map[string]int64 `json:"rows"`
	Sequences map[string]int64 `json:"sequences,omitempty"`
}

// Source is a database to copy while others write.
type Source struct {
	Dialect Dialect
	Schema  int64 // the version of its last migration
	db      *DB
}

// fleeting are tables whose rows mean nothing elsewhere, or too much: a session that has ended since would be
// alive again.
func fleeting() []string { return []string{"sessions", "processes", "running_work"} }

// OpenSource opens a database while a till sells with it: a SQLite file is not locked for this process. Until Close the
// schema of PostgreSQL stays as it is: Migrate would wait for what is copied, and all processes of the till for it.
func OpenSource(ctx context.Context, url string) (*Source, error) {
	path, isSQLite := strings.CutPrefix(url, "sqlite:")
	db, err := (*DB)(nil), error(nil)
	if isSQLite {
		db, err = openFile(path)
	} else {
		db, err = Open(ctx, url)
	}
	if err != nil {
		return nil, err
	}
	unlock, err := db.lockMigrations(ctx, "_shared")
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	db.closers = append(db.closers, unlock)
	s := &Source{Dialect: db.dialect, db: db}
	if s.Schema, err = db.schema(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// openFile opens an existing SQLite file, whoever else has it open.
func openFile(path string) (*DB, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	own, err := sql.Open("sqlite", sqliteDSN(path, "_pragma=busy_timeout(5000)&_pragma=secure_delete(1)"))
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	own.SetMaxOpenConns(1)
	return &DB{dialect: SQLite, url: "sqlite:" + path, sql: own, closers: []func() error{own.Close}}, nil
}

// Close closes the database.
func (s *Source) Close() error { return s.db.Close() }

// schema is the version of the last migration, 0 before the first.
func (db *DB) schema(ctx context.Context) (int64, error) {
	provider, err := db.migrations()
	if err != nil {
		return 0, err
	}
	return provider.GetDBVersion(ctx)
}

// Dump writes the database as of one moment, piece by piece, each to the writer that begin returns, with only
// a few rows in memory. It blocks nobody. Jobs are left out, since rows say what is due, and so are fleeting
// tables.
func (s *Source) Dump(ctx context.Context, begin func(Piece) (io.Writer, error)) (Tally, error) {
	if s.Dialect == SQLite {
		return s.dumpFile(ctx, begin)
	}
	return s.dumpTables(ctx, begin)
}

func (s *Source) dumpTables(ctx context.Context, begin func(Piece) (io.Writer, error)) (tally Tally, err error) {
	conn, err := s.db.pool.Acquire(ctx)
	if err != nil {
		return tally, err
	}
	defer conn.Release()
	own, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return tally, err
	}
	defer func() { err = errors.Join(err, own.Rollback(context.WithoutCancel(ctx))) }()
	tables, err := copiedTables(ctx, own)
	if err != nil {
		return tally, err
	}
	tally = Tally{Rows: map[string]int64{}}
	for _, table := range tables {
		if slices.Contains(fleeting(), table.Name) {
			continue
		}
		to, err := begin(table)
		if err != nil {
			return tally, err
		}
		done, err := own.Conn().PgConn().CopyTo(ctx, to, "COPY "+table.sanitized()+" TO STDOUT")
		if err != nil {
			return tally, fmt.Errorf("copy %s: %w", table.Name, err)
		}
		tally.Rows[table.Name] = done.RowsAffected()
	}
	tally.Sequences, err = sequences(ctx, own)
	return tally, err
}

func (p Piece) sanitized() string {
	columns := make([]string, len(p.Columns))
	for i, column := range p.Columns {
		columns[i] = pgx.Identifier{column}.Sanitize()
	}
	return pgx.Identifier{p.Name}.Sanitize() + " (" + strings.Join(columns, ", ") + ")"
}

// ourTables are all except those of jobs and migrations.
const ourTables = `c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
	AND c.relname NOT LIKE 'river\_%' AND c.relname <> 'goose_db_version'`

// copiedTables are ours with their columns, each after those it refers to.
func copiedTables(ctx context.Context, tx pgx.Tx) ([]Piece, error) {
	rows, err := tx.Query(ctx, `SELECT c.relname,
	ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		AND a.attgenerated = '' ORDER BY a.attnum),
	ARRAY(SELECT DISTINCT r.relname::text FROM pg_constraint f JOIN pg_class r ON r.oid = f.confrelid
		WHERE f.contype = 'f' AND f.conrelid = c.oid AND f.confrelid <> c.oid)
FROM pg_class c WHERE `+ourTables+` ORDER BY c.relname`)
	if err != nil {
		return nil, err
	}
	waiting, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t referring, err error) {
		return t, row.Scan(&t.Name, &t.Columns, &t.after)
	})
	if err != nil {
		return nil, err
	}
	return byReference(waiting)
}

// referring is a table and those it refers to.
type referring struct {
	Piece

	after []string
}

// byReference puts each table after those it refers to.
func byReference(waiting []referring) (ordered []Piece, err error) {
	done := map[string]bool{}
	for len(waiting) > 0 {
		next := slices.IndexFunc(waiting, func(t referring) bool {
			return !slices.ContainsFunc(t.after, func(name string) bool { return !done[name] })
		})
		if next < 0 {
			return nil, fmt.Errorf("table %s and others refer to each other in a circle", waiting[0].Name)
		}
		done[waiting[next].Name], ordered = true, append(ordered, waiting[next].Piece)
		waiting = slices.Delete(waiting, next, next+1)
	}
	return ordered, nil
}

// sequences are the last numbers given, by "table.column".
func sequences(ctx context.Context, tx pgx.Tx) (map[string]int64, error) {
	rows, err := tx.Query(ctx, `SELECT c.relname || '.' || a.attname,
	COALESCE(pg_sequence_last_value(pg_get_serial_sequence(quote_ident(c.relname), a.attname)::regclass), 0)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE a.attidentity <> '' AND `+ourTables)
	if err != nil {
		return nil, err
	}
	all := map[string]int64{}
	var name string
	var last int64
	_, err = pgx.ForEachRow(rows, []any{&name, &last}, func() error { all[name] = last; return nil })
	return all, err
}

// dumpFile lets SQLite write a second file, in one read of the first, and passes that on.
func (s *Source) dumpFile(ctx context.Context, begin func(Piece) (io.Writer, error)) (tally Tally, err error) {
	path := strings.TrimPrefix(s.db.url, "sqlite:")
	dir := path + ".backup" // as open as the file itself, so nobody else may read it
	unlock, err := lockFile(dir + ".lock")
	if err != nil {
		return tally, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir), unlock()) }()
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil { // left by a killed run
		return tally, err
	}
	second := filepath.Join(dir, "copy.db")
	if _, err := s.db.sql.ExecContext(ctx, "VACUUM INTO ?", second); err != nil {
		return tally, fmt.Errorf("copy the database: %w", err)
	}
	if tally.Rows, err = tidied(ctx, second); err != nil {
		return tally, err
	}
	file, err := os.Open(second)
	if err != nil {
		return tally, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	to, err := begin(Piece{Name: "airtill.db"})
	if err == nil {
		_, err = io.Copy(to, file)
	}
	return tally, err
}

// tidied removes from a copy what does not belong in one, and counts the rest.
func tidied(ctx context.Context, path string) (rows map[string]int64, err error) {
	db, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, table := range append(fleeting(), "river_job") {
		if _, err := db.sql.ExecContext(ctx, "DELETE FROM "+table); err != nil { //nolint:gosec // names of ours
			return nil, err
		}
	}
	// Only one file is passed on, so there must be no other.
	if _, err := db.sql.ExecContext(ctx, "PRAGMA journal_mode = DELETE"); err != nil {
		return nil, err
	}
	return db.countRows(ctx)
}

// countRows counts the rows of each of our tables in a SQLite file.
func (db *DB) countRows(ctx context.Context) (counts map[string]int64, err error) {
	names, err := db.fileTables(ctx)
	if err != nil {
		return nil, err
	}
	counts = map[string]int64{}
	for _, name := range names {
		if slices.Contains(fleeting(), name) {
			continue
		}
		var n int64
		if err := db.sql.QueryRowContext(ctx, `SELECT COUNT(*) FROM "`+name+`"`).Scan(&n); err != nil {
			return nil, err
		}
		counts[name] = n
	}
	return counts, nil
}

func (db *DB) fileTables(ctx context.Context) (names []string, err error) {
	const sql = `SELECT name FROM sqlite_master WHERE type = 'table'
	AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE 'river\_%' ESCAPE '\' AND name <> 'goose_db_version'`
	err = askRow(ctx, db.sql, Query{SQL: sql, Row: func(scan Scanner) error {
		var name string
		err := scan(&name)
		names = append(names, name)
		return err
	}})
	return names, err
}
