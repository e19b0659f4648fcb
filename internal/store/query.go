package store

import "gorm.io/gorm"

// All returns every row that a query finds, nil if it finds none.
func All[T any](query *gorm.DB) ([]T, error) {
	var rows []T
	err := query.Find(&rows).Error
	return rows, err
}

// First returns the first row that a query finds, nil if it finds none.
func First[T any](query *gorm.DB) (*T, error) {
	rows, err := All[T](query.Limit(1))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// One returns the row that a query finds, or fails with none if there is no such row.
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
