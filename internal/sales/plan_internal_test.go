package sales

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestOpenSalesAreFoundWithoutReadingAll: every manager's page lists the sales
// whose outcome is open, of one shop and of all.
func TestOpenSalesAreFoundWithoutReadingAll(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		explain := map[store.Dialect]string{store.SQLite: "EXPLAIN QUERY PLAN ", store.Postgres: "EXPLAIN "}[db.Dialect()]
		for _, shop := range []string{"", "x"} {
			f := Filter{ShopID: shop, Waiting: true}
			query := db.Read(t.Context()).ToSQL(func(tx *gorm.DB) *gorm.DB {
				return f.apply(tx).Order("id DESC").Limit(f.limit()).Find(&[]Sale{})
			})
			require.Contains(t, planOf(t, db, explain+query), "sales_not_final", query)
		}
	})
}

// TestTheTrayIsFoundWithoutReadingAll: every page of a cashier has it.
func TestTheTrayIsFoundWithoutReadingAll(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		explain := map[store.Dialect]string{store.SQLite: "EXPLAIN QUERY PLAN ", store.Postgres: "EXPLAIN "}[db.Dialect()]
		query := New(Deps{DB: db, Now: time.Now}).asksTray("x", false, new([]Sale)).Query()
		plan := planOf(t, db, explain+query.SQL, query.Args...)
		if db.Dialect() == store.SQLite {
			require.Equal(t, 3, strings.Count(plan, "sales_by_end (till_id=? AND final_at"), plan)
			return
		}
		for _, index := range []string{"sales_open_at_till", "sales_unsettled", "sales_by_end"} {
			require.Contains(t, plan, index)
		}
	})
}

// planOf reads a plan; PostgreSQL reads an empty table whole unless it is told that
// it must not.
func planOf(t *testing.T, db *store.DB, explain string, args ...any) string {
	t.Helper()
	return planAfter(t, db, nil, explain, args...)
}

// planAfter reads the plan that would be made after some statements of PostgreSQL's.
func planAfter(t *testing.T, db *store.DB, changes []string, explain string, args ...any) string {
	t.Helper()
	var plan []map[string]any
	var text []string
	undone := errors.New("undone")
	require.ErrorIs(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		if db.Dialect() == store.Postgres {
			for _, statement := range append([]string{"SET LOCAL enable_seqscan = off"}, changes...) {
				if err := tx.Exec(statement).Error; err != nil {
					return err
				}
			}
		}
		return errors.Join(undone, tx.Raw(explain, args...).Scan(&plan).Error)
	}), undone)
	for _, line := range plan {
		for _, value := range line {
			if words, ok := value.(string); ok {
				text = append(text, words)
			}
		}
	}
	require.NotEmpty(t, text)
	return strings.Join(text, "\n")
}

// TestWhatANumberBoughtIsFoundAmongItsSales: every look-up asks for it, and every sale looks for its twins, twice. All
// sales of a shop, or of a product of a day, lie in an index, too, and PostgreSQL took those.
func TestWhatANumberBoughtIsFoundAmongItsSales(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		explain := map[store.Dialect]string{store.SQLite: "EXPLAIN QUERY PLAN ", store.Postgres: "EXPLAIN "}[db.Dialect()]
		like := &Sale{Terms: Terms{AccountNumber: "353871234567", SKUCode: "x"}}
		for cond, asked := range map[string]store.Asked{
			"(account_number=?)":          bought("x", like.AccountNumber, 3, new([]Sale)),
			"(account_number=? AND id>?)": twins(like, time.Now(), new([]Sale)), // and no older ones
		} {
			query := asked.Query()
			plan := planOf(t, db, explain+query.SQL, query.Args...)
			require.Contains(t, plan, "sales_by_account")
			require.NotContains(t, plan, "sales_by_shop")
			require.Equal(t, strings.Contains(query.SQL, "final_at"), strings.Contains(plan, "sales_open_to_number"), plan)
			if db.Dialect() == store.SQLite {
				require.Contains(t, plan, cond)
			}
			gone := []string{"SET LOCAL ROLE NONE", "DROP INDEX sales_by_account"}
			without := planAfter(t, db, gone, explain+query.SQL, query.Args...)
			if db.Dialect() == store.Postgres {
				require.NotContains(t, without, "sales_by_shop", "no other is any good")
			}
		}
	})
}
