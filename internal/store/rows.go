package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// Query is a hand-written question with "?" for each argument, where GORM would cost more than the answer.
type Query struct {
	SQL  string
	Args []any
	Row  func(Scanner) error // called for each row; nil: the answer is not read
}

// Scanner reads the columns of a row.
type Scanner = func(into ...any) error

// Asker is who asks questions: a DB, or a Tx.
type Asker interface {
	Rows(ctx context.Context, queries ...Query) error
}

// RowsOf reads rows of the columns named here, or of all, which the question must name in the order of Columns.
func RowsOf[T any](into *[]T, columns ...string) func(Scanner) error {
	var row, empty T
	fields := Fields(&row, columns...)
	return func(scan Scanner) error {
		row = empty
		err := scan(fields...)
		*into = append(*into, row)
		return err
	}
}

// Find reads rows of a table without GORM: rest is what follows their columns, from FROM on.
func Find[T any](ctx context.Context, db Asker, rest string, args ...any) (rows []T, err error) {
	err = db.Rows(ctx, Query{SQL: "SELECT " + Columns[T]() + " " + rest, Args: args, Row: RowsOf(&rows)})
	return rows, err
}

// FindOne is Find of one row, or the error none.
func FindOne[T any](ctx context.Context, db Asker, none error, rest string, args ...any) (row T, err error) {
	rows, err := Find[T](ctx, db, rest, args...)
	switch {
	case err != nil:
		return row, err
	case len(rows) == 0:
		return row, none
	}
	return rows[0], nil
}

// Rows asks questions in order. On PostgreSQL they travel in one round trip as one transaction, each seeing
// what was committed before it; on SQLite they are asked one by one.
func (db *DB) Rows(ctx context.Context, queries ...Query) error {
	if db.pool == nil {
		pool, err := db.read.DB()
		if err != nil {
			return err
		}
		return askRows(ctx, pool, queries)
	}
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return marked(err)
	}
	defer conn.Release()
	return marked(db.askTogether(ctx, conn.Conn(), queries))
}

// askTogether sends questions outside a transaction, as a batch of pgx's does, which allocates five objects more for
// each of them.
func (db *DB) askTogether(ctx context.Context, conn *pgx.Conn, queries []Query) (err error) {
	var batch pgconn.Batch
	var built pgx.ExtendedQueryBuilder
	texts := make([]string, len(queries))
	for i, q := range queries {
		texts[i] = numbered(q.SQL)
		prepared, err := conn.Prepare(ctx, texts[i], texts[i])
		if err == nil {
			err = built.Build(conn.TypeMap(), prepared, q.Args)
		}
		if err != nil {
			return err
		}
		batch.ExecStatement(prepared, built.ParamValues, built.ParamFormats, slices.Clone(built.ResultFormats))
	}
	db.count.trips.Add(1)
	db.count.asked(conn, texts...)
	results := conn.PgConn().ExecBatch(ctx, &batch)
	for i := 0; err == nil && results.NextResult(); i++ {
		err = readRows(pgx.RowsFromResultReader(conn.TypeMap(), results.ResultReader()), queries[i])
	}
	err = cmp.Or(err, results.Close())
	db.count.ended(err)
	return err
}

// Rows is DB.Rows inside the transaction.
func (tx *Tx) Rows(ctx context.Context, queries ...Query) error {
	if tx.late == nil {
		return askRows(ctx, tx.own, queries)
	}
	ask := func(batch *pgx.Batch) { queue(batch, queries) }
	read := func(results pgx.BatchResults) error {
		for _, q := range queries {
			rows, err := results.Query()
			if err = cmp.Or(err, readRows(rows, q)); err != nil {
				return err
			}
		}
		return nil
	}
	return marked(tx.late.send(ctx, ask, read))
}

// queue is Batch.Queue of all queries at once.
func queue(batch *pgx.Batch, queries []Query) {
	queued := make([]pgx.QueuedQuery, len(queries))
	batch.QueuedQueries = slices.Grow(batch.QueuedQueries, len(queries))
	for i, q := range queries {
		queued[i] = pgx.QueuedQuery{SQL: numbered(q.SQL), Arguments: q.Args}
		batch.QueuedQueries = append(batch.QueuedQueries, &queued[i])
	}
}

func readRows(rows pgx.Rows, q Query) (err error) {
	for err == nil && rows.Next() {
		if q.Row != nil {
			err = q.Row(rows.Scan)
		}
	}
	rows.Close()
	return cmp.Or(err, rows.Err())
}

func askRows(ctx context.Context, conn gorm.ConnPool, queries []Query) error {
	for _, q := range queries {
		if err := askRow(ctx, conn, q); err != nil {
			return marked(err)
		}
	}
	return nil
}

func askRow(ctx context.Context, conn gorm.ConnPool, q Query) (err error) {
	rows, err := conn.QueryContext(ctx, q.SQL, q.Args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if q.Row == nil {
			continue
		}
		if err := q.Row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// marked marks an error if the database went away, which no callback of GORM's sees here.
func marked(err error) error {
	if err != nil && away(err) {
		return awayError{err}
	}
	return err
}

// row maps a struct to its columns.
type row struct {
	columns string
	fields  []field
	named   map[string]field
}

// field is one of a struct's, and how a pointer to it is handed to a driver.
type field struct {
	index   []int
	pointer reflect.Type
	json    bool
}

// jsonField reads a column of JSON into what it points to.
type jsonField struct{ into any }

// Scan implements sql.Scanner. NULL and an empty text leave the field as it is.
func (f jsonField) Scan(from any) error {
	var text []byte
	switch from := from.(type) {
	case string:
		text = []byte(from)
	case []byte:
		text = from
	case nil:
	default:
		return fmt.Errorf("a column of JSON came as %T", from)
	}
	if len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, f.into)
}

var rowKinds sync.Map // of row, by reflect.Type

func rowOf[T any]() row {
	kind := reflect.TypeFor[T]()
	if known, ok := rowKinds.Load(kind); ok {
		return known.(row)
	}
	parsed, err := schema.Parse(new(T), new(sync.Map), schema.NamingStrategy{})
	if err != nil {
		panic(err) // a struct GORM could not read either
	}
	r := row{named: map[string]field{}}
	for _, name := range parsed.DBNames {
		column := parsed.FieldsByDBName[name]
		of := column.StructField
		f := field{of.Index, reflect.PointerTo(of.Type), column.TagSettings["SERIALIZER"] == "json"}
		if of.Type.Kind() == reflect.String && !f.pointer.Implements(reflect.TypeFor[sql.Scanner]()) {
			f.pointer = reflect.TypeFor[*string]() // which pgx need not find out
		}
		r.fields, r.named[name] = append(r.fields, f), f
	}
	r.columns = strings.Join(parsed.DBNames, ", ")
	rowKinds.Store(kind, r)
	return r
}

// Columns names the columns of a struct as GORM does.
func Columns[T any]() string { return rowOf[T]().columns }

// Fields are where Scan puts the columns that Columns names, or those named here.
func Fields[T any](into *T, columns ...string) []any {
	at, of := reflect.ValueOf(into).Elem(), rowOf[T]()
	fields := of.fields
	if columns != nil {
		fields = make([]field, len(columns))
		for i, name := range columns {
			fields[i] = of.named[name]
		}
	}
	pointers := make([]any, len(fields))
	for i, f := range fields {
		pointers[i] = at.FieldByIndex(f.index).Addr().Convert(f.pointer).Interface()
		if f.json {
			pointers[i] = jsonField{pointers[i]}
		}
	}
	return pointers
}
