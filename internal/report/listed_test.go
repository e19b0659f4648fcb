package report_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/demodata"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/store"
	"airtill/internal/vault"
)

// TestAListIsCountedAndSummedHoweverLong: by its rollups or by its rows, in each of its
// currencies, whatever it is narrowed by.
func TestAListIsCountedAndSummedHoweverLong(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db, demodata.Plan{Sales: 900, Days: 30, Shops: 2, Seed: 4})
		w.exec("UPDATE sales SET price_currency = 'NGN' WHERE shop_id = ?", w.shops[1])
		w.exec("UPDATE sales SET practice = TRUE WHERE id IN (SELECT id FROM sales ORDER BY id DESC LIMIT 2)")
		w.exec("UPDATE sales SET cash = 'refund_due' WHERE id IN (SELECT id FROM sales WHERE fulfilment = 'failed' ORDER BY id LIMIT 3)")
		w.exec("UPDATE sales SET reason_code = '', reason_context = '' WHERE id IN (SELECT id FROM sales WHERE fulfilment = 'failed' ORDER BY id LIMIT 2)")
		w.exec("UPDATE sales SET fulfilment = 'unknown', final_at = NULL WHERE id IN (SELECT id FROM sales WHERE NOT practice ORDER BY id LIMIT 2 OFFSET 7)")
		w.exec(inDoubt)
		require.NoError(t, w.report.Rebuild(t.Context()))
		sealed, err := vault.New(vault.NewKey())
		require.NoError(t, err)
		book := sales.New(sales.Deps{DB: db, Vault: sealed, Now: w.clock})
		var some, failed sales.Sale
		require.NoError(t, db.Read(t.Context()).Where("fulfilment = 'complete' AND NOT practice").Order("id").First(&some).Error)
		require.NoError(t, db.Read(t.Context()).Where("fulfilment = 'failed' AND reason_code <> ''").Order("id").First(&failed).Error)
		var middle string
		require.NoError(t, db.Read(t.Context()).Raw("SELECT id FROM sales ORDER BY id LIMIT 1 OFFSET 870").Scan(&middle).Error)
		zone, err := time.LoadLocation("Europe/Dublin")
		require.NoError(t, err)
		to := report.DayOf(w.clock(), zone) + 1
		for name, f := range map[string]sales.Filter{
			"all": {}, "shop": {ShopID: some.ShopID}, "till": {TillID: some.TillID}, "cashier": {CashierID: some.CashierID},
			"country": {CountryISO: some.CountryISO}, "provider": {ProviderCode: some.ProviderCode}, "kind": {Kind: some.Kind},
			"product": {SKUCode: some.SKUCode}, "currency": {Currency: "NGN"}, "reason": {Reason: failed.ReasonCode + "/" + failed.ReasonContext},
			"no rollup has it": {CashierID: some.CashierID, SKUCode: some.SKUCode},
			"complete":         {States: []sales.State{sales.Complete}},
			"failed":           {States: []sales.State{sales.Failed, sales.Cancelled, sales.Voided}},
			"nothing":          {Currency: "XXX"},
			"practice":         {Practice: true},
			"number":           {Search: some.AccountNumber},
			"products":         {SKUs: []string{some.SKUCode}},
			"price":            {PriceMicros: some.PriceMicros},
			"no reason":        {Reason: sales.NoReason},
			"failed for none":  {Reason: sales.NoReason, States: []sales.State{sales.Failed, sales.Cancelled, sales.Voided}},
		} {
			for _, days := range []report.Day{2, 7, 8, 30} {
				f.Sold, f.From, f.To = !f.Practice, (to - days).Begins(zone), to.Begins(zone)
				shops := w.shops
				if f.ShopID != "" {
					shops = []string{f.ShopID}
				}
				sums, all, err := w.report.Listed(t.Context(), book, report.OfRows(f, shops, to-days, to, ""))
				require.NoError(t, err, name)
				require.True(t, all, name)
				got := map[money.Currency]report.ListSum{}
				for _, sum := range sums {
					got[sum.Currency] = sum
				}
				require.Equal(t, byHand(t, book, f), got, "%s, %d days", name, days)
				f.Before = middle
				next, _, err := w.report.Listed(t.Context(), book, report.OfRows(f, shops, to-days, to, ""))
				require.NoError(t, err, name)
				require.Equal(t, sums, next, "%s, %d days: the next page is of the same list", name, days)
				f.Before = ""
			}
		}
	})
}

// byHand is what the rows come to, one by one.
func byHand(t *testing.T, book *sales.Service, f sales.Filter) map[money.Currency]report.ListSum {
	t.Helper()
	sums := map[money.Currency]report.ListSum{}
	for sale, err := range book.Each(t.Context(), f) {
		require.NoError(t, err)
		sum := sums[sale.PriceCurrency]
		sum.Currency = sale.PriceCurrency
		switch {
		case sale.Fulfilment == sales.Complete:
			sum.Sent++
			if sale.Cash != sales.CashRefunded {
				sum.Taken += sale.PriceMicros
			}
		case sale.Fulfilment.Open():
			sum.Open++
			if sale.Cash != sales.CashRefunded {
				sum.Held += sale.PriceMicros
			}
		default:
			sum.Failed++
			if sale.Cash == sales.CashRefundDue {
				sum.Owed += sale.PriceMicros
			}
		}
		sums[sale.PriceCurrency] = sum
	}
	return sums
}
