package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

func TestEveryPrintOfAReceiptIsCountedAndOpensItsWindowOnce(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Cashier)
		sku := fixed(t, w.get("/counter?number="+irish))
		sale := w.post("/sales", confirmed(t, w.get("/counter?number="+irish+"&sku="+sku))).Header.Get("Location")
		require.True(t, strings.HasPrefix(w.outcome(sale), "Sent."))

		form := formOf(t, w.get(sale+"/receipt"), sale+"/print")
		first := w.post(sale+"/print", form).Header.Get("Location")
		require.Equal(t, first, w.post(sale+"/print", form).Header.Get("Location"), "two presses are one print")
		page := w.get(first).page(t)
		require.NotContains(t, page.Text(), "DUPLICATE")
		ask := page.Find("body").AttrOr("data-ask", "")
		require.Equal(t, http.StatusNoContent, w.post(ask, nil).StatusCode)
		require.Equal(t, http.StatusConflict, w.post(ask, nil).StatusCode, "a reload opens no second window")

		second := w.post(sale+"/print", formOf(t, w.get(sale+"/receipt"), sale+"/print")).Header.Get("Location")
		require.Contains(t, w.get(second).page(t).Find(".stamp").Text(), "DUPLICATE 1 · cashier · 1 Mar 2026, 12:00")
		shops := w.get(sale + "/receipt?copy=shop").page(t).Find(".slip").Text()
		require.Contains(t, shops, "*********567")
		require.NotContains(t, shops, "353 87")

		file := w.get(page.Find("body").AttrOr("data-file", ""))
		require.Equal(t, "application/octet-stream", file.Header.Get("Content-Type"))
		require.Contains(t, file.body, "TOTAL")
		require.Equal(t, http.StatusNotFound, w.get(sale+"/receipt.escpos").StatusCode, "only what is on record")

		require.Equal(t, http.StatusNoContent, w.post(page.Find("body").AttrOr("data-fail", ""), nil).StatusCode)
		require.NotContains(t, w.get(sale).page(t).Find(".verdict").Text(), "did not print", "a later print went well")
		last := w.get(second).page(t).Find("body").AttrOr("data-fail", "")
		require.Equal(t, http.StatusNoContent, w.post(last, nil).StatusCode)
		require.Contains(t, w.get(sale).page(t).Find(".verdict").Text(), "Sent, but the receipt did not print. Print again.")
	})
}

func TestAPrinterBridgeIsAllowedOnPagesThatPrintAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	boss := b.signIn(staff.Manager)
	form := formOf(t, boss.get("/till/printer"), "/till/printer")
	set := func(bridge string) answer {
		return boss.post("/till/printer", filled(url.Values{}, "csrf", form.Get("csrf"), "width", "58", "columns", "32", "bridge", bridge, "kick", "1"))
	}
	require.Equal(t, http.StatusUnprocessableEntity, set("http://10.0.0.7:9101").StatusCode)
	require.Equal(t, http.StatusSeeOther, set("http://127.0.0.1:9101/print").StatusCode)
	page := boss.get("/till/printer/test")
	require.Contains(t, page.Header.Get("Content-Security-Policy"), "connect-src 'self' http://127.0.0.1:9101;")
	require.Equal(t, "http://127.0.0.1:9101/print", page.page(t).Find("body").AttrOr("data-bridge", ""))
	require.Equal(t, 1, page.page(t).Find(".ruler").Length())
	require.NotContains(t, boss.get("/shift").Header.Get("Content-Security-Policy"), "9101")
	file := boss.get("/till/printer/test.escpos").body
	require.Contains(t, file, strings.Repeat("1234567890", 5)[:48]+"\n", "the printer wraps it, not we")
	require.Contains(t, file, "\x1bp", "the drawer is tried too")
}

func TestReportsPrintOnTheSamePrinter(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	w := b.signIn(staff.Cashier)
	x := w.get("/shift").page(t).Find(".report-acts a[href^='/shift/0']").AttrOr("href", "")
	require.NotContains(t, w.get(x+"/receipt").page(t).Find(".slip").Text(), "Expected", "blind on paper too")
	w.closeWith("pieces-50000000", "2")
	paper := w.get(x + "/receipt").page(t).Find(".slip").Text()
	for _, part := range []string{"Z report 1", "Expected", "€50 × 2", "Difference"} {
		require.Contains(t, paper, part)
	}
	printed := w.post(x+"/print", formOf(t, w.get(x+"/receipt"), x+"/print"))
	file := w.get(printed.Header.Get("Location")).page(t).Find("a[download]").AttrOr("href", "")
	require.Contains(t, w.get(file).body, "Z report 1")
}

// TestAReceiptNamesTheShopAsItWasThen: a duplicate says what the paper said, whoever has the shop since.
func TestAReceiptNamesTheShopAsItWasThen(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Cashier)
		called := func(name, address, taxID string) {
			b.pass(time.Minute)
			require.NoError(t, b.staff.ChangeShop(t.Context(), setup, b.shop.ID, staff.ShopFacts{Name: name, Address: address, TaxID: taxID}))
			b.pass(time.Minute)
		}
		slip := func(sale string) string { return w.get(sale + "/receipt").page(t).Find(".slip").Text() }
		called("Byrne's", "1 Quay", "IE1111111A")
		before, _ := w.sold("0871234561")
		require.Contains(t, slip(before), "IE1111111A")
		called("Byrne's", "2 Quay", "IE1111111A")
		called("Daly's", "", "IE2222222B")
		after, _ := w.sold("0871234562")
		for sale, says := range map[string][]string{before: {"Byrne's", "1 Quay", "IE1111111A"}, after: {"Daly's", "IE2222222B"}} {
			for _, said := range says {
				require.Contains(t, slip(sale), said)
			}
		}
		require.NotContains(t, slip(before), "Daly's")
		require.NotContains(t, slip(after), "Quay")
	})
}
