package sales

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
	"airtill/internal/vault"
)

// longAgo makes sales of two shops, a second apart: in the first third, of three products that were sold no more
// after it, and of twenty others since.
func longAgo(t *testing.T, db *store.DB, sold int) *Service {
	t.Helper()
	rows := make([]Sale, sold)
	for i := range rows {
		n, at := strconv.Itoa(i), time.Unix(int64(i), 0).UTC()
		rows[i] = Sale{ID: store.FirstID(at), IdempotencyKey: n, Code: n, Number: i, Fulfilment: Complete, Cash: CashEarned}
		rows[i].Ref, rows[i].RecordedAt, rows[i].ShopID = n, at, "shop"+strconv.Itoa(i%2)
		rows[i].TillID, rows[i].CashierID = "till"+strconv.Itoa(i%4), "cashier"+strconv.Itoa(i%5)
		if rows[i].SKUCode = "old" + strconv.Itoa(i%3); i > sold/3 {
			rows[i].SKUCode = "new" + strconv.Itoa(i%20)
		}
	}
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		if err := tx.CreateInBatches(rows, 200).Error; err != nil {
			return err
		}
		storetest.AsOwner(t, tx)
		return tx.Exec("ANALYZE sales").Error
	}))
	return New(Deps{DB: db, Now: time.Now})
}

// TestSalesOfProductsAreFoundWithoutReadingAll: what a name finds may have sold a lot, long ago, so that reading back
// from now seems to find some soon, and reads all that was sold since.
func TestSalesOfProductsAreFoundWithoutReadingAll(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := longAgo(t, db, 20_000)
		for _, skus := range [][]string{{"old0"}, {"old0", "old1", "old2"}, {"none", "old0", "new0"}} {
			for _, f := range []Filter{
				{},
				{From: time.Unix(0, 0), To: time.Unix(1e9, 0), Sold: true},
				{Limit: 7},
				{States: []State{Complete}, TillID: "till1", CashierID: "cashier1"},
				{ShopID: "shop1", Before: "Y"},
			} {
				f.SKUs = skus
				list := s.newest(t.Context(), f).Session(&gorm.Session{DryRun: true}).Find(&[]Sale{})
				query := list.Explain(list.Statement.SQL.String(), list.Statement.Vars...)
				plan, index := storetest.Plan(t, db, query), "sales_by_product"
				if f.ShopID != "" {
					index = "sales_by_shop_and_product"
				}
				require.Contains(t, plan, index, query)
				for _, other := range []string{
					"Backward using sales_pkey", "sqlite_autoindex_sales_1 (id>", "sales_by_end", "sales_by_cashier",
				} {
					require.NotContains(t, plan, other, query)
				}
			}
		}
	})
}

// TestSalesOfProductsAreTheNewest: those of all products are the list itself.
func TestSalesOfProductsAreTheNewest(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s, all := longAgo(t, db, 300), []string{"none"}
		for i := range 20 {
			all = append(all, "old"+strconv.Itoa(i), "new"+strconv.Itoa(i))
		}
		for name, f := range map[string]Filter{
			"all": {}, "few": {Limit: 5},
			"a shop's": {ShopID: "shop1"}, "a till's": {TillID: "till3"}, "a cashier's": {CashierID: "cashier2"},
			"a period's": {From: time.Unix(40, 0), To: time.Unix(90, 0)},
			"since":      {From: time.Unix(250, 0)}, "until": {To: time.Unix(60, 0)},
			"before one": {Before: store.FirstID(time.Unix(50, 0))}, "no others": {States: []State{Failed}},
			"in a shop": {To: time.Unix(90, 0), Spans: []Span{{Shops: []string{"shop0"}, To: time.Unix(80, 0)}}},
		} {
			want, err := s.List(t.Context(), f)
			require.NoError(t, err, name)
			f.SKUs = all
			got, err := s.List(t.Context(), f)
			require.NoError(t, err, name)
			require.Equal(t, want, got, name)
			f.SKUs = []string{"old1", "old2"}
			old, err := s.List(t.Context(), f)
			require.NoError(t, err, name)
			for _, sale := range old {
				require.Contains(t, f.SKUs, sale.SKUCode, name)
			}
			f.SKUs = []string{}
			none, err := s.List(t.Context(), f)
			require.NoError(t, err, name)
			require.Empty(t, none, name)
		}
	})
}

// TestASearchReadsWhatItMeans: a search of the list has no days. It looks each thing up in its index, and reads no
// further back than findBack for the end of a number.
func TestASearchReadsWhatItMeans(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := longAgo(t, db, 600)
		s.d.Now, s.d.Vault = func() time.Time { return time.Unix(600, 0).Add(findBack) }, new(vault.Vault)
		for search, want := range map[string]int{"7": 1, "NONE": 0} {
			f := Filter{Search: search, ShopID: "shop1"}
			found, err := s.List(t.Context(), f)
			require.NoError(t, err)
			require.Len(t, found, want, search)
			for _, asked := range []*gorm.DB{
				s.newest(t.Context(), f), s.selected(db.Read(t.Context()).Model(&Sale{}), f),
			} {
				statement := asked.Session(&gorm.Session{DryRun: true}).Find(&[]Sale{}).Statement
				plan := storetest.Plan(t, db, statement.SQL.String(), statement.Vars...)
				require.NotRegexp(t, `SCAN sales|Seq Scan on (sales|attempts)|sales_by_shop \(shop_id=\?\)|Backward[^\n]*\n *Filter`, plan)
			}
		}
	})
}

// TestWhatIsOwedIsNotLookedForAmongAllSales: with many of them PostgreSQL read all sales in the order of their ids, and
// compared each with all that are owed until it had a page of them.
func TestWhatIsOwedIsNotLookedForAmongAllSales(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := longAgo(t, db, 3_000)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			storetest.AsOwner(t, tx)
			if err := tx.Exec("UPDATE sales SET fulfilment = 'unknown', cash = 'taken' WHERE number > 1000").Error; err != nil {
				return err
			}
			return tx.Exec("ANALYZE sales").Error
		}))
		for _, f := range []Filter{{Owing: true}, {Owing: true, Oldest: true}, {Owed: true}, {Owed: true, Oldest: true}} {
			f.Limit = 5
			statement := s.newest(t.Context(), f).Session(&gorm.Session{DryRun: true}).Find(&[]Sale{}).Statement
			plan := storetest.Plan(t, db, statement.SQL.String(), statement.Vars...)
			require.NotRegexp(t, `Semi Join|Scan Backward using sales_pkey`, plan)
			found, err := s.List(t.Context(), f)
			require.NoError(t, err)
			if f.Owing {
				require.Equal(t, map[bool]int{true: 1001, false: 2999}[f.Oldest], found[0].Number)
			}
		}
	})
}
