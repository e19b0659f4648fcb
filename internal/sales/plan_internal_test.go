package sales

import (
	"fmt"
	"strconv"
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
		for _, index := range []string{"sales_not_final", "sales_unsettled", "sales_by_end"} {
			require.Contains(t, plan, index)
		}
	})
}

// TestSalesOfProductsAreFoundWithoutReadingAll: one whose name is searched for may not have been sold for a year.
func TestSalesOfProductsAreFoundWithoutReadingAll(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		rows := make([]Sale, 3000) // an empty table has every plan cost the same
		for i := range rows {
			n := strconv.Itoa(i)
			rows[i] = Sale{ID: fmt.Sprintf("%026d", i), IdempotencyKey: n, Code: n, Number: i, Fulfilment: Complete, Cash: CashEarned}
			rows[i].Ref, rows[i].SKUCode = n, n[:1]
		}
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			if err := tx.CreateInBatches(rows, 100).Error; err != nil {
				return err
			}
			storetest.AsOwner(t, tx)
			return tx.Exec("ANALYZE sales").Error
		}))
		explain := map[store.Dialect]string{store.SQLite: "EXPLAIN QUERY PLAN ", store.Postgres: "EXPLAIN "}[db.Dialect()]
		for _, skus := range [][]string{{"x"}, {"x", "y", "z"}} {
			f := Filter{SKUs: skus, Sold: true, From: time.Unix(0, 0), To: time.Unix(1e9, 0)}
			query := db.Read(t.Context()).ToSQL(func(tx *gorm.DB) *gorm.DB {
				return f.apply(tx).Order("id DESC").Limit(f.limit()).Find(&[]Sale{})
			})
			require.Contains(t, planOf(t, db, explain+query), "sales_by_product", query)
		}
	})
}

// planOf reads a plan; PostgreSQL reads an empty table whole unless it is told that
// it must not.
func planOf(t *testing.T, db *store.DB, explain string, args ...any) string {
	t.Helper()
	var plan []map[string]any
	var text []string
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		if db.Dialect() == store.Postgres {
			if err := tx.Exec("SET LOCAL enable_seqscan = off").Error; err != nil {
				return err
			}
		}
		return tx.Raw(explain, args...).Scan(&plan).Error
	}))
	for _, line := range plan {
		for _, value := range line {
			if words, ok := value.(string); ok {
				text = append(text, words)
			}
		}
	}
	return strings.Join(text, "\n")
}
