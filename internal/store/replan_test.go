package store_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestAMigrationBesideARunningProgram: a statement that returns other columns since may fail once, in whatever way it
// is asked, and not on each connection, nor for as long as one lasts.
func TestAMigrationBesideARunningProgram(t *testing.T) {
	t.Parallel()
	const sql, busy = "SELECT * FROM shifts WHERE id = ?", 8
	type shift struct{ ID string }
	db := storetest.Open(t, postgresURL(t))
	ways := map[string]func() error{
		"rows": func() error { return db.Rows(t.Context(), store.Query{SQL: sql, Args: []any{"x"}}) },
		"read": func() error {
			_, err := store.All[shift](db.Read(t.Context()).Raw(sql, "x"))
			return err
		},
		"transaction": func() error {
			return db.Tx(t.Context(), func(tx *store.Tx) error {
				_, err := store.All[shift](tx.Raw(sql, "x"))
				return err
			})
		},
		"rows of a transaction": func() error {
			return db.Tx(t.Context(), func(tx *store.Tx) error {
				return tx.Rows(t.Context(), store.Query{SQL: sql, Args: []any{"x"}})
			})
		},
	}
	// on connections of the same number, since each question waits for the others
	onAll := func(ask func() error) (failed int) {
		t.Helper()
		var all, done sync.WaitGroup
		errs := make([]error, busy)
		all.Add(busy)
		for i := range busy {
			done.Go(func() {
				errs[i] = db.Tx(t.Context(), func(tx *store.Tx) error {
					var one int
					err := tx.Raw("SELECT 1").Scan(&one).Error
					all.Done()
					all.Wait()
					return err
				})
				if errs[i] == nil {
					errs[i] = ask()
				}
			})
		}
		done.Wait()
		for _, err := range errs {
			if err != nil {
				require.ErrorContains(t, err, "cached plan")
				failed++
			}
		}
		return failed
	}
	for name, ask := range ways {
		for range 4 {
			require.Zero(t, onAll(ask), name)
		}
	}
	for i, name := range []string{"rows", "read", "transaction", "rows of a transaction"} {
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			storetest.AsOwner(t, tx)
			return tx.Exec("ALTER TABLE shifts ADD COLUMN later" + string(rune('a'+i)) + " TEXT").Error
		}))
		require.Error(t, ways[name](), name)
		for range 4 {
			require.Zero(t, onAll(ways[name]), name)
		}
	}
}
