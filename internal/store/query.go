package store

import (
	"database/sql"
	"errors"
	"strings"

	"gorm.io/gorm"

	"airtill/internal/fault"
)

var likeSafe = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// Containing is the pattern that finds a text anywhere, letter by letter, for LIKE ? ESCAPE '\'.
func Containing(text string) string { return "%" + likeSafe.Replace(text) + "%" }

// All returns every row a query finds, nil if none.
func All[T any](query *gorm.DB) ([]T, error) {
	var rows []T
	err := query.Find(&rows).Error
	return rows, err
}

// First returns the first row a query finds, nil if none.
func First[T any](query *gorm.DB) (*T, error) {
	rows, err := All[T](query.Limit(1))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// One returns the row a query finds, or the error none.
func One[T any](query *gorm.DB, none error) (row T, err error) {
	found, err := First[T](query)
	switch {
	case err != nil:
		return row, err
	case found == nil:
		return row, none
	}
	return *found, nil
}

// Made returns the row that a form has made already, whose answer was lost and which is sent again; nil: it has made
// none. The form gives the row its id. Of two at once the second waits for the first. A form that made another row than
// it asks for now is fault.Conflict.
func Made[T any](tx *Tx, id string, asks func(T) bool) (*T, error) {
	if err := tx.Lock("form " + id); err != nil {
		return nil, err
	}
	made, err := First[T](tx.Where("id = ?", id))
	if made != nil && !asks(*made) {
		err = fault.New(fault.Conflict, "page.used")
	}
	return made, err
}

// Value returns what a query of one value finds, zero if nothing.
func Value[T any](query *gorm.DB) (value T, err error) {
	err = query.Scan(&value).Error
	return value, err
}

// Some says whether a query finds any row.
func Some(query *gorm.DB) (bool, error) {
	var n int64
	err := query.Count(&n).Error
	return n > 0, err
}

// Each visits a query's rows one by one, for results too large to hold.
func Each[T any](query *gorm.DB, visit func(T)) error {
	session := query.Session(&gorm.Session{NewDB: true})
	return eachRow(query, func(rows *sql.Rows) error {
		var row T
		err := session.ScanRows(rows, &row)
		if err == nil {
			visit(row)
		}
		return err
	})
}

// Scan is Each for many thousand rows: visit scans the columns itself, which is faster.
func Scan(query *gorm.DB, visit func(scan func(into ...any) error) error) error {
	return eachRow(query, func(rows *sql.Rows) error { return visit(rows.Scan) })
}

func eachRow(query *gorm.DB, visit func(*sql.Rows) error) (err error) {
	rows, err := query.Rows()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := visit(rows); err != nil {
			return err
		}
	}
	return marked(rows.Err())
}

// Pairs returns a query of two columns as a map, by the first.
func Pairs[K comparable, V any](query *gorm.DB) (map[K]V, error) {
	pairs := map[K]V{}
	err := Scan(query, func(scan func(into ...any) error) error {
		var key K
		var value V
		err := scan(&key, &value)
		pairs[key] = value
		return err
	})
	return pairs, err
}
