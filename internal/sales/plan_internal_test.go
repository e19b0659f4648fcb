package sales

import (
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

// TestTwinsAreFoundAmongTheNumbersSales: every sale looks for its twins, twice. All sales of a product of a day lie in
// its index, too, and PostgreSQL took that one.
func TestTwinsAreFoundAmongTheNumbersSales(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		explain := map[store.Dialect]string{store.SQLite: "EXPLAIN QUERY PLAN ", store.Postgres: "EXPLAIN "}[db.Dialect()]
		like := &Sale{Terms: Terms{AccountNumber: "353871234567", SKUCode: "x"}}
		query := twins(like, time.Now(), new([]Sale)).Query()
		plan := planOf(t, db, explain+query.SQL, query.Args...)
		require.Contains(t, plan, "sales_by_account")
		require.NotContains(t, plan, "product")
		if db.Dialect() == store.SQLite {
			require.Contains(t, plan, "(account_number=? AND id>?)", "and no older ones")
		}
	})
}
