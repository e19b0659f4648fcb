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

// TestWhatIsOpenOrOwedIsFoundWithoutReadingAll: not all that a shop or a till ever sold, for the few sales that are.
func TestWhatIsOpenOrOwedIsFoundWithoutReadingAll(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for _, f := range []Filter{
			{Owing: true},
			{Owing: true, ShopID: "x"},
			{Owing: true, TillID: "x"},
			{Owing: true, ShopID: "x", TillID: "x"},
			{Owed: true},
			{Owed: true, ShopID: "x"},
			{Owed: true, TillID: "x"},
			{Owed: true, ShopID: "x", TillID: "x"},
		} {
			for name, query := range map[string]string{
				"list":  db.Read(t.Context()).ToSQL(func(tx *gorm.DB) *gorm.DB { return f.apply(tx).Order("id").Limit(9).Find(&[]Sale{}) }),
				"count": db.Read(t.Context()).ToSQL(func(tx *gorm.DB) *gorm.DB { return f.apply(tx.Model(&Sale{})).Count(new(int64)) }),
			} {
				plan := storetest.Plan(t, db, query)
				require.Contains(t, plan, "sales_unsettled", name)
				require.NotRegexp(t, `sales_by_end|sales_by_shop \(shop_id=\?\)|sales_by_shop_and|Cond: \(shop_id`, plan, name)
				if f.Owing {
					require.Regexp(t, "sales_not_final|sales_open_at_till", plan, name)
				}
			}
		}
	})
}

// TestWhatWaitsAndATillsDaysAreFoundWithoutReadingAll: not all that a shop or a till ever sold.
func TestWhatWaitsAndATillsDaysAreFoundWithoutReadingAll(t *testing.T) {
	t.Parallel()
	days := Filter{From: noon.Add(-someDay), To: noon, TillID: "x", Currency: "EUR"}
	shopsDays := days
	shopsDays.ShopID = "x"
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for index, filters := range map[string][]Filter{
			"sales_not_final|sales_open_at_till": {
				{Waiting: true},
				{Waiting: true, ShopID: "x"},
				{Waiting: true, TillID: "x"},
				{Waiting: true, ShopID: "x", TillID: "x"},
			},
			"id>.*id<|id >= .*id < ": {days, shopsDays},
		} {
			for _, f := range filters {
				for name, ask := range map[string]func(tx *gorm.DB) *gorm.DB{
					"list":  func(tx *gorm.DB) *gorm.DB { return f.apply(tx).Order("id DESC").Limit(9).Find(&[]Sale{}) },
					"count": func(tx *gorm.DB) *gorm.DB { return f.apply(tx.Model(&Sale{})).Count(new(int64)) },
				} {
					require.Regexp(t, index, storetest.Plan(t, db, db.Read(t.Context()).ToSQL(ask)), name)
				}
			}
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

// TestCorrectionsAreFoundWithoutReadingAll: not by all that their shop ever sold.
func TestCorrectionsAreFoundWithoutReadingAll(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		c := newCupboard(t, db)
		asked := storetest.Recorded(t, db)
		for _, f := range []CorrectionFilter{{}, {ShopID: "x"}, {ShopID: "x", UserID: "y"}} {
			f.From, f.To, f.Limit = noon.Add(-someDay), noon, 9
			*asked = nil
			_, err := c.Corrections(t.Context(), f)
			require.NoError(t, err)
			query := (*asked)[0]
			require.Contains(t, storetest.Plan(t, db, query.SQL, query.Args...), "sale_events_set_right", query.SQL)
		}
	})
}

// TestAPageOfShopsByTheirOwnClocksIsReadFromItsPlace: SQLite went through all their sales of the time and sorted them.
func TestAPageOfShopsByTheirOwnClocksIsReadFromItsPlace(t *testing.T) {
	t.Parallel()
	f := Filter{From: noon.Add(-400 * someDay), To: noon}
	for _, shop := range []string{"x", "y"} {
		f.Spans = append(f.Spans, Span{Shops: []string{shop}, From: f.From, To: f.To})
	}
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		query := db.Read(t.Context()).ToSQL(func(tx *gorm.DB) *gorm.DB {
			return f.apply(tx).Order("id DESC").Limit(f.limit()).Find(&[]Sale{})
		})
		plan := storetest.Plan(t, db, query)
		require.Regexp(t, "sqlite_autoindex_sales_1|Backward using sales_pkey", plan)
		require.NotRegexp(t, "B-TREE|Sort|MULTI-INDEX", plan)
	})
}
