package web

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/alert"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/locale"
)

// TestPagesAreLight weighs, as they travel and in every language, the pages that are open
// all day, on a busy one: the counter after a dozen sales with a full tray, an operator's
// products with favourites, and Today with many cashiers, open alerts and waiting sales.
func TestPagesAreLight(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := invented(t, newMarket(t, db))
		b.busy()
		cashier, office := b.signIn(staff.Cashier), b.signIn(staff.Finance)
		counter := cashier.get("/counter").page(t)
		require.Equal(t, 6, counter.Find(".recent-again").Length())
		require.Equal(t, 3, counter.Find("#tray a[href^='/sales/']").Length())
		require.Equal(t, 1, counter.Find("#tray-more").Length())
		require.Equal(t, 1, counter.Find("[data-row-key='0']").Length(), "vouchers")
		today := office.get("/").page(t)
		require.GreaterOrEqual(t, today.Find(".alert-bar").Length(), 3)
		require.Equal(t, 5, today.Find("table.list tbody a[href^='/sales/']").Length())
		require.Contains(t, today.Find("#today").Text(), "Person 11")
		for _, language := range locale.Languages() {
			tag := language.Tag
			for _, page := range []struct {
				of   *browser
				path string
				most int
			}{{cashier, "/counter", 12_000}, {cashier, "/counter?number=" + irish, 12_000}, {office, "/", 15_000}} {
				chosen := page.of.post("/language", url.Values{"language": {tag}, "next": {"/"}})
				require.Equal(t, http.StatusSeeOther, chosen.StatusCode, chosen.body)
				got := page.of.do(http.MethodGet, page.path, nil, http.Header{"Accept-Encoding": {"gzip"}})
				require.Equal(t, http.StatusOK, got.StatusCode)
				require.Equal(t, "gzip", got.Header.Get("Content-Encoding"))
				t.Logf("%s %s: %d bytes", tag, page.path, len(got.body))
				require.LessOrEqual(t, len(got.body), page.most, "%s in %s", page.path, tag)
			}
		}
	})
}

// busy makes it a busy day: sales of all outcomes at the cashier's till, and shifts of
// many others.
func (b *bench) busy() {
	b.t.Helper()
	w, t, d := b.signIn(staff.Cashier), b.t, b.server.D
	products := skusOf(w.get("/counter?number=" + irish).page(t))
	for _, sku := range products[len(products)-3:] {
		require.NoError(t, d.Catalog.Pin(t.Context(), sku, b.shop.ID))
	}
	for i := range 13 {
		number := fmt.Sprintf("08712345%02d", i)
		named := w.post("/customers", url.Values{
			"csrf": {w.csrf("/customers")}, "name": {fmt.Sprintf("Zoë Byrne-Fitzgerald %d", i)}, "number": {number},
		})
		require.Equal(t, http.StatusSeeOther, named.StatusCode, named.body)
		path, _ := w.sold(number)
		switch {
		case i < 4:
			b.moveSale(path, "fulfilment = 'unknown', cash = 'taken', final_at = NULL, next_check_at = '2030-01-01 00:00:00'")
		case i < 7:
			b.moveSale(path, "fulfilment = 'failed', cash = 'refund_due'")
		}
	}
	shop, tills, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{
		Name: "Central Station", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 12,
	})
	require.NoError(t, err)
	for i, at := range tills { // each has sold something
		someone, err := b.staff.CreateUser(t.Context(), setup, staff.NewUser{
			Username: fmt.Sprint("person", i), DisplayName: fmt.Sprint("Person ", i), Role: staff.Cashier, Password: password, ShopID: shop.ID,
		})
		require.NoError(t, err)
		seller := b.browser()
		got := seller.post("/login", url.Values{"username": {someone.Username}, "password": {password}})
		require.Equal(t, http.StatusSeeOther, got.StatusCode, got.body)
		require.Equal(t, http.StatusSeeOther, seller.post("/till", url.Values{"till": {at.ID}, "take": {"1"}}).StatusCode)
		b.openTill(seller)
		seller.sold(fmt.Sprintf("08761234%02d", i))
	}
	b.raise(alert.JobFailed, alert.Warning, "3", "catalog.sync")
	b.raise(alert.BreakOpen, alert.Critical, "4", "5")
	b.raise(alert.FloatLow, alert.Critical, "12.00 EUR")
	require.NoError(t, d.Report.Refresh(t.Context()))
}
