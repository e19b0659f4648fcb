package store

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// Statement is one hand-written write with "?" for each argument.
type Statement struct {
	SQL  string
	Args []any
}

// ExecAll runs statements in order and returns how many rows each one touched.
// On PostgreSQL they travel together in one round trip, which is what the
// three writes of a sale are worth; on SQLite they run one by one.
func (tx *Tx) ExecAll(ctx context.Context, statements ...Statement) (rows []int64, err error) {
	if tx.late != nil {
		rows, err = tx.execBatch(ctx, statements)
	} else {
		rows, err = tx.execEach(ctx, statements)
	}
	if err != nil && away(err) { // no callback sees it
		return nil, awayError{err}
	}
	if translator, ok := tx.Dialector.(interface{ Translate(error) error }); ok && err != nil {
		return nil, translator.Translate(err) // GORM's names for what the drivers say
	}
	return rows, err
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

func (tx *Tx) execBatch(ctx context.Context, statements []Statement) (rows []int64, err error) {
	err = tx.late.send(ctx, func(batch *pgx.Batch) {
		for _, s := range statements {
			batch.Queue(numbered(s.SQL), s.Args...)
		}
	}, func(results pgx.BatchResults) error {
		for range statements {
			tag, err := results.Exec()
			if err != nil {
				return err
			}
			rows = append(rows, tag.RowsAffected())
		}
		return nil
	})
	return rows, err
}

// Insert is the statement that inserts a row, for ExecAll.
func (tx *Tx) Insert(row any) (Statement, error) {
	written := tx.Session(&gorm.Session{DryRun: true}).Create(row)
	return Statement{SQL: written.Statement.SQL.String(), Args: written.Statement.Vars}, written.Error
}

// numbered turns "?" into "$1", "$2", …; our statements carry values only as
// arguments, so no literal contains a question mark.
func numbered(sql string) string {
	var b strings.Builder
	n := 0
	for part := range strings.SplitSeq(sql, "?") {
		if n > 0 {
			b.WriteString("$" + strconv.Itoa(n))
		}
		b.WriteString(part)
		n++
	}
	return b.String()
}
