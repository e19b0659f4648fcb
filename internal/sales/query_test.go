package sales_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// sold makes sales to different numbers, which all went through, the oldest first.
func (w *world) sold(many int) (ids []string) {
	w.T.Helper()
	offer := w.TopUp()
	for i := range many {
		o := apptest.Order(fmt.Sprintf("sold-%d", i), offer)
		o.AccountNumber = fmt.Sprintf("35387111111%d", i)
		ids = append(ids, w.Becomes(w.Sell(o, offer).ID, sales.Complete, false).ID)
		w.Pass(time.Minute)
	}
	return ids
}

func idsOf(found []sales.Sale) (ids []string) {
	for _, sale := range found {
		ids = append(ids, sale.ID)
	}
	return ids
}

func TestList_SelectsByEachPartOfAFilter(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		began := w.Now()
		ids := w.sold(4)
		first, second, third, last := ids[0], ids[1], ids[2], ids[3]
		w.moved(second, "shop_id = 'other', till_id = 'there', shift_id = 'early', cashier_id = 'ben', kind = 'bill', country_iso = 'KE', price_currency = 'KES'")
		w.moved(third, "fulfilment = 'failed', cash = 'refund_due', reason_code = 'Rejected', reason_context = 'Closed', provider_code = 'X', sku_code = 'Y'")
		w.moved(last, "fulfilment = 'unknown', final_at = NULL, cash = 'taken'")
		w.moved(first, "fulfilment = 'submitted', final_at = NULL, cash = 'refunded'") // given back before it is known
		at := func(id string) time.Time { return w.Get(id).RecordedAt }
		all := []string{last, third, second, first}
		for name, c := range map[string]struct {
			filter sales.Filter
			want   []string
		}{
			"all, the newest first":  {sales.Filter{}, all},
			"two":                    {sales.Filter{Limit: 2}, all[:2]},
			"the next page":          {sales.Filter{Before: third}, all[2:]},
			"a shop":                 {sales.Filter{ShopID: "other"}, []string{second}},
			"a till":                 {sales.Filter{TillID: "there"}, []string{second}},
			"a shift":                {sales.Filter{ShiftID: "early"}, []string{second}},
			"a cashier":              {sales.Filter{CashierID: "ben"}, []string{second}},
			"a kind":                 {sales.Filter{Kind: "bill"}, []string{second}},
			"a country":              {sales.Filter{CountryISO: "KE"}, []string{second}},
			"a currency":             {sales.Filter{Currency: "KES"}, []string{second}},
			"a provider":             {sales.Filter{ProviderCode: "X"}, []string{third}},
			"a product":              {sales.Filter{SKUCode: "Y"}, []string{third}},
			"states":                 {sales.Filter{States: []sales.State{sales.Failed, sales.Unknown}}, []string{last, third}},
			"a reason":               {sales.Filter{Reason: "Rejected/Closed"}, []string{third}},
			"the code alone":         {sales.Filter{Reason: "Rejected"}, nil},
			"no reason, and failed":  {sales.Filter{Reason: sales.NoReason, States: []sales.State{sales.Failed}}, nil},
			"what waits":             {sales.Filter{Waiting: true}, []string{last, first}},
			"what waits or is owed":  {sales.Filter{Owing: true}, []string{last, third, first}},
			"the oldest that waits":  {sales.Filter{Owing: true, Oldest: true, Limit: 1}, []string{first}},
			"practice":               {sales.Filter{Practice: true}, nil},
			"no practice":            {sales.Filter{Sold: true}, all},
			"from a time on":         {sales.Filter{From: at(third)}, all[:2]},
			"up to a time":           {sales.Filter{To: at(third)}, all[2:]},
			"before there was one":   {sales.Filter{To: began}, nil},
			"the end of a number":    {sales.Filter{Search: "1112"}, []string{third}},
			"no number":              {sales.Filter{Search: "nobody"}, nil},
			"accounts of a customer": {sales.Filter{Search: "nobody", Accounts: []string{"353871111110"}}, []string{first}},
			"days of two shops": {sales.Filter{Spans: []sales.Span{
				{Shops: []string{"other"}, From: began, To: w.Now()}, {Shops: []string{"shop"}, From: at(last), To: w.Now()},
			}}, []string{last, second}},
		} {
			found, err := w.Sales.List(t.Context(), c.filter)
			require.NoError(t, err)
			require.Equal(t, c.want, idsOf(found), name)
			n, err := w.Sales.Count(t.Context(), c.filter)
			require.NoError(t, err)
			if c.filter.Limit == 0 {
				require.Len(t, c.want, n, name)
			}
		}
	})
}

func TestTotals_AreByStateCashAndCurrency(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		ids := w.sold(3)
		first := w.Get(ids[0])
		price := first.Price().Micros()
		w.moved(ids[1], "fulfilment = 'failed', cash = 'refund_due', reason_code = 'Rejected'")
		totals, err := w.Sales.Totals(t.Context(), sales.Filter{ShopID: "shop"})
		require.NoError(t, err)
		require.ElementsMatch(t, []sales.Total{
			{Fulfilment: sales.Complete, Cash: first.Cash, PriceCurrency: "EUR", Count: 2, PriceMicros: 2 * price},
			{Fulfilment: sales.Failed, Cash: sales.CashRefundDue, PriceCurrency: "EUR", Count: 1, PriceMicros: price},
		}, totals)
		totals, err = w.Sales.Totals(t.Context(), sales.Filter{ShopID: "other"})
		require.NoError(t, err)
		require.Empty(t, totals)

		failures, err := w.Sales.FailuresSince(t.Context(), w.Now().Add(-time.Hour))
		require.NoError(t, err)
		require.Equal(t, []sales.Failures{{Code: "Rejected", Count: 1}}, failures)
		failures, err = w.Sales.FailuresSince(t.Context(), w.Now())
		require.NoError(t, err)
		require.Empty(t, failures)
	})
}

func TestRecent_AreTheSalesOfATillThatAreSettled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ids := w.sold(3)
	recent := func(shop, till string, most int) []string {
		found, err := w.Sales.Recent(t.Context(), shop, till, false, most)
		require.NoError(t, err)
		return idsOf(found)
	}
	newest := slices.Clone(ids)
	slices.Reverse(newest)
	require.Equal(t, newest, recent("shop", "till", 10))
	require.Equal(t, newest[:2], recent("shop", "till", 2))
	require.Empty(t, recent("shop", "another", 10))
	require.Empty(t, recent("elsewhere", "till", 10))
	w.moved(ids[1], "fulfilment = 'failed', cash = 'refund_due'")
	require.Equal(t, []string{ids[2], ids[0]}, recent("shop", "till", 10), "what is in the tray stands there alone")
	w.Pass(31 * 24 * time.Hour)
	require.Empty(t, recent("shop", "till", 10))
}

func TestGet_StaysInTheShop(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	sale := w.Get(w.sold(1)[0])
	for name, read := range map[string]func(context.Context) (sales.Sale, error){
		"anywhere": func(ctx context.Context) (sales.Sale, error) { return w.Sales.Get(ctx, sale.ID, "") },
		"its shop": func(ctx context.Context) (sales.Sale, error) { return w.Sales.Get(ctx, sale.ID, "shop") },
		"its code": func(ctx context.Context) (sales.Sale, error) { return w.Sales.ByCode(ctx, sale.Code) },
	} {
		got, err := read(t.Context())
		require.NoError(t, err, name)
		require.Equal(t, sale, got, name)
	}
	_, err := w.Sales.Get(t.Context(), sale.ID, "other")
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	_, err = w.Sales.ByCode(t.Context(), "NONE")
	require.Equal(t, fault.NotFound, fault.KindOf(err))

	id, err := w.Sales.SoldAs(t.Context(), "0123456789abcdef-sold-0")
	require.NoError(t, err)
	require.Equal(t, sale.ID, id)
	id, err = w.Sales.SoldAs(t.Context(), "0123456789abcdef-other")
	require.NoError(t, err)
	require.Empty(t, id)
}
