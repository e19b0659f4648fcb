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
		for _, shop := range []string{"", "x"} {
			f := Filter{ShopID: shop, Waiting: true}
			query := db.Read(t.Context()).ToSQL(func(tx *gorm.DB) *gorm.DB {
				return f.apply(tx).Order("id DESC").Limit(f.limit()).Find(&[]Sale{})
			})
			require.Contains(t, storetest.Plan(t, db, query), "sales_not_final", query)
		}
	})
}

// TestTheTrayIsFoundWithoutReadingAll: every page of a cashier has it.
func TestTheTrayIsFoundWithoutReadingAll(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		query := New(Deps{DB: db, Now: time.Now}).asksTray("x", false, new([]Sale)).Query()
		plan := storetest.Plan(t, db, query.SQL, query.Args...)
		if db.Dialect() == store.SQLite {
			require.Equal(t, 3, strings.Count(plan, "sales_by_end (till_id=? AND final_at"), plan)
			return
		}
		for _, index := range []string{"sales_open_at_till", "sales_unsettled", "sales_by_end"} {
			require.Contains(t, plan, index)
		}
	})
}

// TestWhatANumberBoughtIsFoundAmongItsSales: every look-up asks for it, and every sale looks for its twins, twice. All
// sales of a shop, or of a product of a day, lie in an index, too, and PostgreSQL took those.
func TestWhatANumberBoughtIsFoundAmongItsSales(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		like := &Sale{Terms: Terms{AccountNumber: "353871234567", SKUCode: "x"}}
		for cond, asked := range map[string]store.Asked{
			"(account_number=?)":          bought("x", like.AccountNumber, 3, new([]Sale)),
			"(account_number=? AND id>?)": twins(like, time.Now(), new([]Sale)), // and no older ones
		} {
			query := asked.Query()
			plan := storetest.Plan(t, db, query.SQL, query.Args...)
			require.Contains(t, plan, "sales_by_account")
			require.NotContains(t, plan, "sales_by_shop")
			require.Equal(t, strings.Contains(query.SQL, "final_at"), strings.Contains(plan, "sales_open_to_number"), plan)
			if db.Dialect() == store.SQLite {
				require.Contains(t, plan, cond)
			}
			gone := []string{"SET LOCAL ROLE NONE", "DROP INDEX sales_by_account"}
			without := storetest.PlanAfter(t, db, gone, query.SQL, query.Args...)
			if db.Dialect() == store.Postgres {
				require.NotContains(t, without, "sales_by_shop", "no other is any good")
			}
		}
	})
}
