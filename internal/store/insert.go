package store

import (
	"context"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// Insert adds rows as GORM maps them to a table's columns, by InsertRows.
func Insert[T any](ctx context.Context, tx *Tx, table string, all []T) error {
	if len(all) == 0 {
		return nil
	}
	statement := &gorm.Statement{DB: tx.DB}
	if err := statement.Parse(&all[0]); err != nil {
		return err
	}
	columns := statement.Schema.DBNames
	rows := make([][]any, len(all))
	for i := range all {
		from := reflect.ValueOf(&all[i])
		rows[i] = make([]any, len(columns))
		for n, name := range columns {
			rows[i][n], _ = statement.Schema.FieldsByDBName[name].ValueOf(ctx, from)
		}
	}
	return tx.InsertRows(ctx, table, columns, rows)
}

// InsertRows adds many rows to a table, each with a value for every column, in a fraction of the time single
// statements take: by COPY on PostgreSQL, by one prepared statement on SQLite.
func (tx *Tx) InsertRows(ctx context.Context, table string, columns []string, rows [][]any) (err error) {
	if tx.late != nil {
		err = tx.copyRows(ctx, table, columns, rows)
	} else {
		err = tx.insertPrepared(ctx, table, columns, rows)
	}
	return tx.db.translated(err)
}

func (tx *Tx) copyRows(ctx context.Context, table string, columns []string, rows [][]any) error {
	own, err := tx.late.begun(ctx)
	if err == nil {
		_, err = own.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(rows))
	}
	return err
}

func (tx *Tx) insertPrepared(ctx context.Context, table string, columns []string, rows [][]any) (err error) {
	if len(rows) == 0 {
		return nil
	}
	places := strings.TrimSuffix(strings.Repeat("?,", len(columns)), ",")
	text := "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (" + places + ")"
	insert, err := tx.own.PrepareContext(ctx, text)
	if err != nil {
		return err
	}
	defer func() {
		if closed := insert.Close(); err == nil {
			err = closed
		}
	}()
	for _, row := range rows {
		if _, err := insert.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return nil
}
