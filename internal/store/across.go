package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// loadAcross restores a copy of a SQLite file into PostgreSQL, table by table, as text: of the types that the schema
// has, PostgreSQL reads whatever SQLite writes.
func (l Loading) loadAcross(ctx context.Context, url string) (err error) {
	ctx, cancel := context.WithCancel(ctx) // ends a table that PostgreSQL has refused
	defer cancel()
	dir, err := os.MkdirTemp("", "airtill-restore-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "copy.db")
	if err := l.receive(path); err != nil {
		return err
	}
	file, err := openFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	counted, err := l.inspect(ctx, file)
	if err != nil {
		return err
	}
	tables, err := file.copiedTables(ctx)
	if err != nil {
		return err
	}
	tally := Tally{Rows: counted, Sequences: map[string]int64{}}
	l.Next = func() (Piece, io.Reader, error) {
		if len(tables) == 0 {
			return Piece{}, nil, io.EOF
		}
		next := tables[0]
		tables = tables[1:]
		rows, err := file.textOf(ctx, next, tally.Sequences)
		return next, rows, err
	}
	l.Check = func(rows map[string]int64) (Tally, error) {
		if !maps.Equal(rows, counted) {
			return Tally{}, errors.New("PostgreSQL did not take all rows of the backup")
		}
		return tally, nil
	}
	return l.loadTables(ctx, url)
}

// copiedTables are those of a SQLite file that a copy takes along, each after those it refers to.
func (db *DB) copiedTables(ctx context.Context) ([]Piece, error) {
	names, err := db.fileTables(ctx)
	if err != nil {
		return nil, err
	}
	var waiting []referring
	for _, name := range names {
		if slices.Contains(fleeting(), name) {
			continue
		}
		var columns, after []byte
		err := db.sql.QueryRowContext(ctx, `SELECT (SELECT json_group_array(name) FROM pragma_table_info(@name)),
	(SELECT json_group_array("table") FROM pragma_foreign_key_list(@name) WHERE "table" <> @name)`,
			sql.Named("name", name)).Scan(&columns, &after)
		t := referring{Piece: Piece{Name: name}}
		if err == nil {
			err = errors.Join(json.Unmarshal(columns, &t.Columns), json.Unmarshal(after, &t.after))
		}
		if err != nil {
			return nil, err
		}
		waiting = append(waiting, t)
	}
	return byReference(waiting)
}

// textOf reads a table as PostgreSQL's COPY does. Of one that numbers its rows it notes the last number given.
func (db *DB) textOf(ctx context.Context, table Piece, numbers map[string]int64) (io.Reader, error) {
	var column string
	err := db.sql.QueryRowContext(ctx,
		"SELECT name FROM pragma_table_info(?) WHERE pk = 1 AND type = 'INTEGER'", table.Name).Scan(&column)
	if err == nil {
		var last int64
		err = db.sql.QueryRowContext(ctx, `SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = ?), MAX(`+
			quoted(column)+`), 0) FROM `+quoted(table.Name), table.Name).Scan(&last)
		numbers[table.Name+"."+column] = last
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	texts := make([]string, len(table.Columns))
	for i, column := range table.Columns {
		texts[i] = "CAST(" + quoted(column) + " AS TEXT)"
	}
	//nolint:gosec,rowserrcheck // names of ours; copyText asks at the end
	rows, err := db.sql.QueryContext(ctx, "SELECT "+strings.Join(texts, ", ")+" FROM "+quoted(table.Name))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", table.Name, err)
	}
	r := &copyText{rows: rows, values: make([]sql.NullString, len(table.Columns))}
	for i := range r.values {
		r.into = append(r.into, &r.values[i])
	}
	return r, nil
}

func quoted(name string) string { return `"` + name + `"` }

// copyText writes rows in the text form of PostgreSQL's COPY.
type copyText struct {
	rows   *sql.Rows
	values []sql.NullString
	into   []any
	line   bytes.Buffer
}

//nolint:gochecknoglobals // never changes
var copyEscapes = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// Read is io.Reader's, a row at a time.
func (r *copyText) Read(p []byte) (int, error) {
	if r.line.Len() == 0 {
		if !r.rows.Next() {
			return 0, cmp.Or(errors.Join(r.rows.Err(), r.rows.Close()), io.EOF)
		}
		if err := r.rows.Scan(r.into...); err != nil {
			return 0, err
		}
		for i, value := range r.values {
			if i > 0 {
				r.line.WriteByte('\t')
			}
			if value.Valid {
				_, _ = copyEscapes.WriteString(&r.line, value.String) // a buffer takes all
			} else {
				r.line.WriteString(`\N`)
			}
		}
		r.line.WriteByte('\n')
	}
	return r.line.Read(p)
}
