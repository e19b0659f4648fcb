package web

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/app"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/sandbox"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
	"airtill/web/locale"
)

const irish = "0871234567"

// newMarket is a bench whose upstream is the simulator, with its catalogue.
func newMarket(t testing.TB, db *store.DB) *bench {
	t.Helper()
	return newMarketWith(t, db, false)
}

// newMarketWith may send every transfer deferred; then the simulator posts its
// webhooks to the bench.
func newMarketWith(t testing.TB, db *store.DB, deferred bool) *bench {
	t.Helper()
	return newMarketOf(t, db, market, deferred)
}

// newMarketOf sells the catalogue that the simulator is told to have.
func newMarketOf(t testing.TB, db *store.DB, catalogue sandbox.Deps, deferred bool) *bench {
	t.Helper()
	b := stoppedBench(t, db)
	config := b.simulator(catalogue)
	if deferred {
		config.SendMode = app.SendDefer
	}
	b.start(config, func(d *frame.Deps) {
		require.NoError(t, d.Catalog.SyncDue(t.Context()))
		require.NoError(t, d.Catalog.Refresh(t.Context()))
		_, err := d.Reconcile.ReadBalance(t.Context())
		require.NoError(t, err)
	})
	if deferred {
		b.simulate(http.MethodPut, "config", `{"webhookUrl":"`+b.http.URL+`/webhooks/transfers","deferDelay":"0s"}`)
	}
	return b
}

// simulator starts one, and returns how to reach it.
func (b *bench) simulator(catalogue sandbox.Deps) app.Config {
	t := b.t
	t.Helper()
	catalogue.Data, catalogue.Seed, catalogue.Now = sandbox.Memory, 1, b.clock
	simulator, err := sandbox.New(catalogue)
	require.NoError(t, err)
	storetest.AtEnd(t, simulator, func(simulator *sandbox.Service) { require.NoError(t, simulator.Close()) })
	upstream := httptest.NewServer(simulator.Handler())
	storetest.AtEnd(t, upstream, func(upstream *httptest.Server) {
		upstream.CloseClientConnections()
		upstream.Close()
	})
	b.upstream = upstream.URL
	return app.Config{UpstreamBaseURL: upstream.URL, UpstreamAPIKey: "sandbox-key"}
}

// fixed returns the first product of a fixed price on the offers page.
func fixed(t testing.TB, offers answer) string {
	t.Helper()
	require.Equal(t, http.StatusOK, offers.StatusCode, offers.body)
	var sku string
	offers.page(t).Find("button[name=sku]").EachWithBreak(func(_ int, card *goquery.Selection) bool {
		if !strings.Contains(card.Find(".card-price").Text(), "–") {
			sku = card.AttrOr("value", "")
		}
		return sku == ""
	})
	require.NotEmpty(t, sku)
	return sku
}

// confirmed returns the fields of the confirm form.
func confirmed(t testing.TB, got answer) url.Values {
	t.Helper()
	form := url.Values{}
	page := got.page(t)
	require.Equal(t, "Cash received, send", strings.TrimSpace(page.Find("form.confirm button").First().Text()), got.body)
	page.Find("form.confirm input[type=hidden]").Each(func(_ int, field *goquery.Selection) {
		form.Set(field.AttrOr("name", ""), field.AttrOr("value", ""))
	})
	return form
}

// outcome waits for the words of a sale's outcome.
func (w *browser) outcome(path string) string {
	w.b.t.Helper()
	var words string
	waitFor(w.b.t, "an outcome", func() bool {
		region := w.get(path).page(w.b.t).Find("[role=status][data-state]")
		words = strings.Join(strings.Fields(region.Text()), " ")
		return !strings.HasPrefix(words, "Sending")
	})
	return words
}

func TestACashierSellsATopUp(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Cashier)
		sku := fixed(t, w.get("/counter?number="+irish))
		form := confirmed(t, w.get("/counter?number="+irish+"&sku="+sku))
		otherTab := confirmed(t, w.get("/counter?number="+irish+"&sku="+sku))

		first := w.post("/sales", form)
		require.Equal(t, http.StatusSeeOther, first.StatusCode, first.body)
		sale := first.Header.Get("Location")
		require.Equal(t, sale, w.post("/sales", form).Header.Get("Location"), "a second click is the same sale")
		require.True(t, strings.HasPrefix(w.outcome(sale), "Sent."))

		require.Contains(t, w.get(sale+"/receipt").body, "TOTAL")
		require.Contains(t, w.get("/sales").body, sale)
		require.Equal(t, 1, w.get("/counter").page(t).Find("a[href^='/counter?']").FilterFunction(func(_ int, a *goquery.Selection) bool {
			return strings.Contains(a.AttrOr("href", ""), sku)
		}).Length(), "it can be repeated from the counter")

		again := w.post("/sales", otherTab)
		require.Equal(t, http.StatusConflict, again.StatusCode)
		require.Contains(t, again.page(t).Text(), "Press 2 to send another.")
	})
}

func TestNumbersThatAreNoneAreRefusedOnTheSameForm(t *testing.T) {
	t.Parallel()
	w := newMarket(t, storetest.NewAt(t, stock.Copy)).signIn(staff.Cashier)
	for name, typed := range map[string]string{
		"empty": "", "spaces": "   ", "short": "12", "long": strings.Repeat("1", 60), "letters": "hello", "letters within": "087abc4567",
		"emoji": "🙂🙂🙂🙂🙂🙂", "Chinese": "电话号码", "NUL": "\x00\x01", "broken UTF-8": "\xff\xfe", "markup": "<script>alert(1)</script>",
	} {
		got := w.get("/counter?number=" + url.QueryEscape(typed))
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, name)
		field := got.page(t).Find("input[name=number]")
		require.Equal(t, 1, field.Length(), name)
		if name != "NUL" && name != "broken UTF-8" { // HTML cannot carry these
			require.Equal(t, typed, field.AttrOr("value", ""), "%s: what was typed is kept", name)
		}
		require.NotEmpty(t, strings.TrimSpace(got.page(t).Find("#"+strings.Fields(field.AttrOr("aria-describedby", "x x"))[0]).Text()), "%s: it says what is wrong", name)
	}
	for name, typed := range map[string]string{
		"spaces": "+353 87 123 4567", "two zeros": "00353871234567", "Arabic-Indic": "٠٨٧١٢٣٤٥٦٧", "pasted": "tel:+353-87-123-4567", "no-break spaces": "087\u00a0123\u00a04567",
	} {
		got := w.get("/counter?number=" + url.QueryEscape(typed))
		require.Equal(t, http.StatusOK, got.StatusCode, "%s: %s", name, got.body)
		require.Contains(t, got.page(t).Text(), "+353 87 123 4567", name)
	}
}

func TestAmountsThatCannotBeSoldAreRefusedOnTheSameForm(t *testing.T) {
	t.Parallel()
	w := newMarket(t, storetest.NewAt(t, stock.Copy)).signIn(staff.Cashier)
	page := w.get("/counter?number=" + irish).page(t)
	var sku string
	page.Find("button[name=sku]").Each(func(_ int, card *goquery.Selection) {
		if sku == "" && strings.Contains(card.Find(".card-price").Text(), "–") {
			sku = card.AttrOr("value", "")
		}
	})
	require.NotEmpty(t, sku, "no range product")
	ask := func(amount string) answer {
		return w.get("/counter?number=" + irish + "&sku=" + sku + "&step=confirm&pay=" + url.QueryEscape(amount))
	}
	for _, amount := range []string{"", "0", "0.00", "-5", "−5", "1e21", "1E2", "10.005", "10,5", "ten", "999999999", "0.01", "5 5", "99999999999999999999", "🙂", "NaN"} {
		got := ask(amount)
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, amount)
		field := got.page(t).Find("input[name=pay]")
		require.Equal(t, amount, field.AttrOr("value", ""), "what was typed is kept")
	}
	require.Equal(t, "Cash received, send", strings.TrimSpace(ask("10.00").page(t).Find("form.confirm button").First().Text()))
	received := w.get("/counter?number=" + irish + "&sku=" + sku + "&step=confirm&receive=10")
	require.NotEmpty(t, confirmed(t, received).Get("receive"))
}

func TestWhatTheFormSaysOfPricesIsNotBelieved(t *testing.T) {
	t.Parallel()
	w := newMarket(t, storetest.NewAt(t, stock.Copy)).signIn(staff.Cashier)
	sku := fixed(t, w.get("/counter?number="+irish))
	tamper := func(field, value string) answer {
		form := confirmed(t, w.get("/counter?number="+irish+"&sku="+sku))
		form.Set(field, value)
		return w.post("/sales", form)
	}
	cheap := tamper("shown", "0.01 EUR")
	require.Equal(t, http.StatusConflict, cheap.StatusCode)
	require.Contains(t, cheap.page(t).Text(), "Changed.")
	require.NotEqual(t, "0.01 EUR", confirmed(t, cheap).Get("shown"), "the page shows the server's price")
	require.Equal(t, http.StatusNotFound, tamper("sku", "NOPE").StatusCode)
	require.Equal(t, http.StatusNotFound, tamper("provider", "NOPE").StatusCode)
	require.Equal(t, http.StatusUnprocessableEntity, tamper("number", "x").StatusCode)
	require.Equal(t, http.StatusConflict, tamper("key", "short").StatusCode, "and nothing was sold")
	require.Contains(t, w.get("/sales").page(t).Text(), "Nothing sold yet today.")
}

// TestWhatArrivesIsConfirmedAsShown: when the catalogue learns between the page and the press that less arrives for the
// same price, the customer hears of it first.
func TestWhatArrivesIsConfirmedAsShown(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Cashier)
		form := w.topUpForm()
		product, _ := b.server.D.Catalog.Current().Product(form.Get("sku"))
		was, became := product.Minimum.Receive(), money.Of(product.Minimum.ReceiveMicros/2, product.Minimum.ReceiveCurrency)
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
			return errors.Join(
				tx.Exec("UPDATE products SET min_receive_micros = ?, max_receive_micros = ?, min_receive_net_micros = ?, "+
					"max_receive_net_micros = ? WHERE sku = ?",
					became.Micros(), became.Micros(), became.Micros(), became.Micros(), product.SKU).Error,
				tx.Exec("UPDATE catalog_versions SET version = version + 1 WHERE what = 'catalogue'").Error,
			)
		}))
		require.NoError(t, b.server.D.Catalog.Refresh(t.Context()))

		changed := w.post("/sales", form)
		require.Equal(t, http.StatusConflict, changed.StatusCode, changed.body)
		l := locale.New(locale.At(language.English, b.shop.Country), b.shop.Location())
		said := changed.page(t).Find(".notice").Text()
		require.Contains(t, said, "Changed. The customer was to receive "+l.ShortAmount(was)+" and now receives "+l.ShortAmount(became)+".")
		require.NotContains(t, said, "The price was", "that is the same")
		place := changed.page(t).Find(`nav > ul:first-child [aria-current="page"]`).Text()
		require.Equal(t, "Counter", strings.TrimSpace(place), "it is the same step of the sale")
		again := confirmed(t, changed)
		require.Equal(t, form.Get("key"), again.Get("key"))
		sold := w.post("/sales", again)
		require.Equal(t, http.StatusSeeOther, sold.StatusCode, sold.body)
	})
}

func TestAPINIsShownOnlyOnRecord(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Cashier)
		pin := b.pin()
		ask := "/counter?number=" + irish + "&provider=" + pin.Provider + "&sku=" + pin.SKU
		sale := w.post("/sales", confirmed(t, w.get(ask))).Header.Get("Location")
		require.True(t, strings.HasPrefix(w.outcome(sale), "Sent."))

		kept, err := b.server.D.Sales.Get(t.Context(), strings.TrimPrefix(sale, "/sales/"), "")
		require.NoError(t, err)
		receipt, err := b.server.D.Sales.Receipt(kept)
		require.NoError(t, err)
		secret := func(got answer) bool {
			return strings.Contains(strings.Join(strings.Fields(got.body), ""), receipt.PIN()) || strings.Contains(strings.ReplaceAll(got.body, " ", ""), receipt.PIN())
		}
		require.False(t, secret(w.get(sale)), "not before it is asked for")
		require.Equal(t, http.StatusConflict, w.get(sale+"/receipt").StatusCode)
		require.False(t, secret(b.signIn(staff.Manager).get(sale)))

		csrf := w.get(sale).page(t).Find("form.reveal input[name=csrf]").AttrOr("value", "")
		require.Equal(t, http.StatusSeeOther, w.post(sale+"/reveal", url.Values{"csrf": {csrf}}).StatusCode)
		require.True(t, secret(w.get(sale)))
		require.True(t, secret(w.get(sale+"/receipt")))
		twice := w.post(sale+"/reveal", url.Values{"csrf": {csrf}})
		require.Equal(t, http.StatusSeeOther, twice.StatusCode, "it is on the page")
		manager := b.signIn(staff.Manager)
		require.False(t, secret(manager.get(sale)), "it was shown to the cashier alone")
		again := manager.post(sale+"/reveal", url.Values{"csrf": {manager.csrf(sale)}})
		require.Equal(t, http.StatusUnprocessableEntity, again.StatusCode, "the second time needs a reason")
		require.NotContains(t, b.log.String(), receipt.PIN())
	})
}

func TestAnotherShopsSaleIsNotFound(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Cashier)
	sku := fixed(t, w.get("/counter?number="+irish))
	sale := w.post("/sales", confirmed(t, w.get("/counter?number="+irish+"&sku="+sku))).Header.Get("Location")
	require.True(t, strings.HasPrefix(w.outcome(sale), "Sent."))

	other, _, err := b.staff.CreateShop(t.Context(), setup, staff.NewShop{Name: "High Street", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
	require.NoError(t, err)
	_, err = b.staff.CreateUser(t.Context(), setup, staff.NewUser{Username: "stranger", Role: staff.Cashier, Password: password, ShopID: other.ID})
	require.NoError(t, err)
	stranger := b.browser()
	require.Equal(t, http.StatusSeeOther, stranger.post("/login", url.Values{"username": {"stranger"}, "password": {password}}).StatusCode)
	for _, path := range []string{sale, sale + "/receipt", sale + "/events"} {
		require.Equal(t, http.StatusNotFound, stranger.get(path).StatusCode, path)
	}
	csrf := stranger.get("/shift").page(t).Find("input[name=csrf]").AttrOr("value", "")
	require.Equal(t, http.StatusNotFound, stranger.post(sale+"/refund", url.Values{"csrf": {csrf}}).StatusCode)
	require.Equal(t, http.StatusOK, b.signIn(staff.Auditor).get(sale).StatusCode, "who may see every shop sees it")
}

func TestTheStatusPageTellsNothingOfTheCustomer(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Cashier)
	sku := fixed(t, w.get("/counter?number="+irish))
	sale := w.post("/sales", confirmed(t, w.get("/counter?number="+irish+"&sku="+sku))).Header.Get("Location")
	require.True(t, strings.HasPrefix(w.outcome(sale), "Sent."))
	kept, err := b.server.D.Sales.Get(t.Context(), strings.TrimPrefix(sale, "/sales/"), "")
	require.NoError(t, err)
	public := b.browser().get("/s/" + kept.Code)
	require.Equal(t, http.StatusOK, public.StatusCode)
	require.Contains(t, public.body, "Your purchase was delivered.")
	for _, secret := range []string{"353871234567", "123 4567", kept.Ref, kept.TransferRef, kept.SKUCode} {
		require.NotContains(t, public.body, secret)
	}
	require.Equal(t, "image/png", b.browser().get("/s/"+kept.Code+"/qr.png").Header.Get("Content-Type"))
	require.Equal(t, http.StatusNotFound, b.browser().get("/s/AAAAAAAA").StatusCode)
}
