package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/statement"
	"airtill/internal/store"
)

// TestSalesAreNarrowed by what somebody remembers of one: the list, its sums and its file
// are what plain SQL finds.
func TestSalesAreNarrowed(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	const sold = "SELECT COUNT(*) FROM sales WHERE NOT practice AND recorded_at >= '2026-02-01' AND recorded_at < '2026-03-01'"
	var cashier, till string
	require.NoError(t, b.db.Read(t.Context()).Raw("SELECT cashier_id FROM sales ORDER BY id LIMIT 1").Scan(&cashier).Error)
	require.NoError(t, b.db.Read(t.Context()).Raw("SELECT till_id FROM sales ORDER BY id LIMIT 1").Scan(&till).Error)
	for query, sql := range map[string]string{
		"named=gb":                       " AND LOWER(product_text) LIKE '%gb%'",
		"named=SHANNON&amount=10":        " AND LOWER(provider_name) LIKE '%shannon%' AND price_micros = 10000000",
		"amount=10.00":                   " AND price_micros = 10000000",
		"state=failed":                   " AND fulfilment IN ('failed', 'voided', 'cancelled')",
		"cashier=" + cashier:             " AND cashier_id = '" + cashier + "'",
		"till=" + till + "&named=top-up": " AND till_id = '" + till + "' AND LOWER(product_text) LIKE '%top-up%'",
	} {
		var want int
		require.NoError(t, b.db.Read(t.Context()).Raw(sold+sql).Scan(&want).Error)
		require.Positive(t, want, query)
		address := "/sales?from=2026-02-01&to=2026-02-28&" + query
		page := w.get(address).page(t)
		shown := page.Find(".sums-row dd").First().Text()
		require.Equal(t, strconv.Itoa(want), strings.TrimSpace(shown), query)
		require.Len(t, w.behind(address).file, want+1, query)
	}
	for query, field := range map[string]string{
		"till=" + till + "&amount=much": "amount", "from=2026-02-28&to=2026-02-01": "to",
	} {
		refused := w.get("/sales?" + query)
		require.Equal(t, http.StatusUnprocessableEntity, refused.StatusCode)
		asked, err := url.ParseQuery(query)
		require.NoError(t, err)
		page := refused.page(t)
		require.Equal(t, field, page.Find("form.asks [aria-invalid]").AttrOr("name", ""))
		require.NotEmpty(t, page.Find("#report-problem").Text())
		for name := range asked {
			typed := page.Find("form.asks input[name=" + name + "], form.asks select[name=" + name + "] option[selected]")
			require.Equal(t, asked.Get(name), typed.AttrOr("value", ""), "what was typed is not lost")
		}
	}

	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		for i := range 501 {
			if err := tx.Exec("INSERT INTO sold_names (sku_code, product_text, provider_name) VALUES (?, 'One of many', '')", strconv.Itoa(i)).Error; err != nil {
				return err
			}
		}
		return nil
	}))
	many := w.get("/sales?named=of+many")
	require.Equal(t, http.StatusUnprocessableEntity, many.StatusCode)
	require.Contains(t, many.page(t).Text(), "More than 500 products have this in their name.")
	none := w.get("/sales?from=2026-02-01&to=2026-02-28&named=100%25+nothing")
	require.Equal(t, http.StatusOK, none.StatusCode)
	require.Zero(t, none.page(t).Find("table.list tbody tr").Length())
}

// TestOneEndOfAPeriodWillDo: a last day alone is that day, and a first day to come begins a period, too.
func TestOneEndOfAPeriodWillDo(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	const busy = "2026-02-20"
	both := w.get("/sales?from=" + busy + "&to=" + busy).page(t)
	require.Positive(t, both.Find("table.list tbody tr").Length())
	last := w.get("/sales?from=&to=" + busy).page(t)
	require.Equal(t, both.Find("main .lead").First().Text(), last.Find("main .lead").First().Text())
	require.Equal(t, both.Find("table.list tbody tr").Length(), last.Find("table.list tbody tr").Length())
	later := w.get("/sales?from=2026-12-24").page(t)
	require.Contains(t, later.Find("main .lead").First().Text(), "24 Dec 2026")
	require.Equal(t, "2026-12-24", later.Find(`form.asks [name="from"]`).AttrOr("value", ""))
}

// TestAPriceIsFoundInTheMoneyOfAnyShop: one shop takes a currency of three decimals.
func TestAPriceIsFoundInTheMoneyOfAnyShop(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	require.Equal(t, http.StatusUnprocessableEntity, w.get("/sales?amount=1.255").StatusCode, "no shop has such a price")
	_, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{
		Name: "Salmiya", Zone: "Asia/Kuwait", Country: "KW", Currency: "KWD", Tills: 1,
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, w.get("/sales?amount=1.255").StatusCode)
	require.Equal(t, http.StatusOK, w.get("/sales?amount=+").StatusCode, "a space is no amount")
}

// TestWhatWasSoldAtAnHour is three keys and Enter away.
func TestWhatWasSoldAtAnHour(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	hours := w.get("/today").page(t).Find("#today .picture a")
	require.Greater(t, hours.Length(), 2)
	hours.Each(func(_ int, hour *goquery.Selection) {
		hourly := w.get(hour.AttrOr("href", "")).page(t).Find("table.list tbody tr").Length()
		begins, _, _ := strings.Cut(hour.AttrOr("aria-label", ""), ":00")
		for _, typed := range []string{begins + ":", begins + ":59"} {
			found := w.get("/sales?q=" + url.QueryEscape(typed)).page(t)
			require.Equal(t, hourly, found.Find("table.list tbody tr").Length(), typed)
		}
	})
}

// TestASaleLeadsBackToItsList, and nowhere else.
func TestASaleLeadsBackToItsList(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w := b.signIn(staff.Finance)
	const list = "/sales?from=2026-02-01&to=2026-02-28&state=failed"
	sale := w.get(list).page(t).Find("table.list tbody a").First().AttrOr("href", "")
	require.Equal(t, list, w.get(sale).page(t).Find(".back-to a").AttrOr("href", ""))
	path, _, _ := strings.Cut(sale, "?")
	for _, elsewhere := range []string{"", "//evil.example", "https://evil.example/sales?", "/logout"} {
		require.Zero(t, w.get(path+"?back="+url.QueryEscape(elsewhere)).page(t).Find(".back-to").Length(), elsewhere)
	}
}

// TestStatementsAreListedByMonth, so many on a page.
func TestStatementsAreListedByMonth(t *testing.T) {
	t.Parallel()
	b := trading(t)
	_, err := b.server.D.Statements.CloseDue(t.Context())
	require.NoError(t, err)
	w := b.signIn(staff.Finance)
	var february int
	require.NoError(t, b.db.Read(t.Context()).Raw("SELECT COUNT(*) FROM statements WHERE day LIKE '2026-02-%'").Scan(&february).Error)
	require.Positive(t, february)
	page := w.get("/statements?month=2026-02").page(t)
	require.Equal(t, "Feb 2026", page.Find("main .tabs [aria-current]").Text())
	require.Equal(t, february, page.Find("table.list tbody tr").Length())
	require.Contains(t, w.get("/statements?month=2025-01").page(t).Find(".empty").Text(), "Jan 2025")
	require.Equal(t, http.StatusNotFound, w.get("/statements?month=soon").StatusCode)
}

// TestALongMonthOfStatementsIsReadPageByPage: each statement once, the newest day first.
func TestALongMonthOfStatementsIsReadPageByPage(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.seat(staff.Finance)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		for shop := range 5 {
			id := fmt.Sprintf("shop%d", shop)
			if err := tx.Create(&staff.Shop{ID: id, Name: id, Zone: "UTC", Country: "IE", Currency: "EUR"}).Error; err != nil {
				return err
			}
			for day := range 30 {
				at := time.Date(2025, 11, day+1, 0, 0, 0, 0, time.UTC)
				if err := tx.Create(&statement.Statement{
					ID: fmt.Sprint(id, day), ShopID: id, Number: day + 1, Day: at.Format(time.DateOnly), FromAt: at, ToAt: at, ClosedAt: at,
				}).Error; err != nil {
					return err
				}
			}
		}
		return nil
	}))
	var listed []string
	for path, pages := "/statements?month=2025-11", 0; path != ""; pages++ {
		require.Less(t, pages, 2)
		page := w.get(path).page(t)
		page.Find("table.list tbody tr").Each(func(_ int, row *goquery.Selection) {
			listed = append(listed, row.Find("a").AttrOr("href", ""))
		})
		path = page.Find("main .page-foot a").AttrOr("href", "")
	}
	require.Len(t, listed, 150)
	require.Equal(t, "/statements/shop429", listed[0])
	require.Equal(t, "/statements/shop00", listed[149])
	slices.Sort(listed)
	require.Len(t, slices.Compact(listed), 150)
}

// TestALongListOfCountriesAsksForFewFlags: one for each that a key chooses.
func TestALongListOfCountriesAsksForFewFlags(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	page := b.signIn(staff.Cashier).get("/counter?number=99912345678901").page(t)
	require.Greater(t, page.Find("#countries button").Length(), 15)
	require.LessOrEqual(t, page.Find("main img.flag").Length(), 9)
}
