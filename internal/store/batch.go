package store

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"

	"gorm.io/gorm"
)

// Statement is one hand-written write with "?" for each argument.
type Statement struct {
	SQL  string
	Args []any
}

// ExecAll runs statements in order and returns how many rows each one touched. On PostgreSQL they travel in
// one round trip, which the three writes of a sale gain by; on SQLite they run one by one.
func (tx *Tx) ExecAll(ctx context.Context, statements ...Statement) (rows []int64, err error) {
	if tx.late != nil {
		rows, err = tx.late.exec(ctx, statements)
	} else {
		rows, err = tx.execEach(ctx, statements)
	}
	return rows, tx.failed(err)
}

// failed is an error of statements that no callback of GORM's sees.
func (tx *Tx) failed(err error) error { return tx.db.translated(marked(err)) }

// ExecSoon is ExecAll for statements whose outcome is not needed yet: on PostgreSQL those of several calls travel
// together, ahead of the next question or of COMMIT, which then fails if check does.
func (tx *Tx) ExecSoon(ctx context.Context, check func(rows []int64) error, statements ...Statement) error {
	if tx.late != nil {
		tx.late.soon = append(tx.late.soon, soon{statements, check})
		return nil
	}
	rows, err := tx.ExecAll(ctx, statements...)
	if err == nil {
		err = check(rows)
	}
	return err
}

// ExecLast is ExecAll for the last statements of a transaction: on PostgreSQL, COMMIT travels with them. The
// caller must do nothing after it.
func (tx *Tx) ExecLast(ctx context.Context, statements ...Statement) error {
	if tx.late == nil {
		_, err := tx.ExecAll(ctx, statements...)
		return err
	}
	return tx.db.translated(tx.late.sendLast(ctx, statements))
}

// AlreadyThere says whether an error of a driver, such as River passes on, is that a row is there already.
func (db *DB) AlreadyThere(err error) bool {
	return errors.Is(db.translated(err), gorm.ErrDuplicatedKey)
}

// translated turns drivers' errors into GORM's.
func (db *DB) translated(err error) error {
	if translator, ok := db.write.Dialector.(interface{ Translate(error) error }); ok && err != nil {
		return translator.Translate(err)
	}
	return err
}

func (tx *Tx) execEach(ctx context.Context, statements []Statement) ([]int64, error) {
	rows := make([]int64, len(statements))
	for i, s := range statements {
		result, err := tx.own.ExecContext(ctx, s.SQL, s.Args...)
		if err != nil {
			return nil, err
		}
		if rows[i], err = result.RowsAffected(); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// Inserted is the statement that inserts a row with every column.
func Inserted[T any](table string, row *T) Statement {
	args := Fields(row)
	places := strings.TrimSuffix(strings.Repeat("?,", len(args)), ",")
	return Statement{SQL: "INSERT INTO " + table + " (" + Columns[T]() + ") VALUES (" + places + ")", Args: args}
}

// numbered turns "?" into "$1", "$2", …; no literal contains a question mark, since values are arguments.
func numbered(sql string) string {
	if known, ok := numberedTexts.Load(sql); ok {
		return known.(string)
	}
	var b strings.Builder
	n := 0
	for part := range strings.SplitSeq(sql, "?") {
		if n > 0 {
			b.WriteString("$" + strconv.Itoa(n))
		}
		b.WriteString(part)
		n++
	}
	numberedTexts.Store(sql, b.String())
	return b.String()
}

// numberedTexts remembers what numbered made; there are few texts, since values are arguments.
var numberedTexts sync.Map
