package storetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"airtill/internal/store"
)

// Plan is how the database would answer a query. PostgreSQL reads an empty table whole, and sorts it, unless it is told
// that it must not.
func Plan(t testing.TB, db *store.DB, query string, args ...any) string {
	t.Helper()
	return PlanAfter(t, db, nil, query, args...)
}

// PlanAfter is the plan that would be made after some statements of PostgreSQL's. They are undone.
func PlanAfter(t testing.TB, db *store.DB, changes []string, query string, args ...any) string {
	t.Helper()
	explain := map[store.Dialect]string{store.SQLite: "EXPLAIN QUERY PLAN ", store.Postgres: "EXPLAIN "}[db.Dialect()]
	var plan []map[string]any
	undone := errors.New("undone")
	require.ErrorIs(t, db.Tx(context.WithoutCancel(t.Context()), func(tx *store.Tx) error {
		if db.Dialect() == store.Postgres {
			indexes := "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off"
			for _, statement := range append([]string{indexes}, changes...) {
				if err := tx.Exec(statement).Error; err != nil {
					return err
				}
			}
		}
		return errors.Join(undone, tx.Raw(explain+query, args...).Scan(&plan).Error)
	}), undone)
	var text []string
	for _, line := range plan {
		for _, value := range line {
			if words, ok := value.(string); ok {
				text = append(text, words)
			}
		}
	}
	require.NotEmpty(t, text, query)
	return strings.Join(text, "\n")
}

// Recorded fills up with what GORM asks a database from now on, so that a test can have it planned.
func Recorded(t *testing.T, db *store.DB) *[]store.Query {
	t.Helper()
	asked := &[]store.Query{}
	record := func(tx *gorm.DB) {
		if !tx.DryRun { // a part of another
			*asked = append(*asked, store.Query{SQL: tx.Statement.SQL.String(), Args: slices.Clone(tx.Statement.Vars)})
		}
	}
	callbacks := db.Read(t.Context()).Callback()
	require.NoError(t, callbacks.Query().After("gorm:query").Register("test:recorded", record))
	require.NoError(t, callbacks.Row().After("gorm:row").Register("test:recorded", record))
	return asked
}
