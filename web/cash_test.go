package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/receipt"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/locale"
	"airtill/web/sale"
)

// squeezed is a text in one line.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

// topUpForm is the filled-in confirm form of a top-up.
func (w *browser) topUpForm() url.Values {
	w.b.t.Helper()
	sku := fixed(w.b.t, w.get("/counter?number="+irish))
	return confirmed(w.b.t, w.get("/counter?number="+irish+"&sku="+sku))
}

func TestTheCashGivenSaysWhatGoesBack(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Cashier)
		form := w.topUpForm()
		for typed, says := range map[string]string{
			"0.50": "The cash is less than the price. Nothing was sold.",
			"0":    "The amount",
			"5390": "This is far more cash than the price. Check it. Nothing was sold.",
			"ten":  "10.50",
		} {
			form.Set("cash", typed)
			refused := w.post("/sales", form)
			require.Equal(t, http.StatusUnprocessableEntity, refused.StatusCode, typed)
			require.Contains(t, refused.page(t).Find("#cash-problem").Text(), says)
			require.Equal(t, typed, refused.page(t).Find("#cash").AttrOr("value", ""), "what was typed stays")
		}
		form.Set("cash", "100")
		sold := w.post("/sales", form)
		require.Equal(t, http.StatusSeeOther, sold.StatusCode, sold.body)
		path := sold.Header.Get("Location")
		b.becomes(path, sales.Complete)
		sale := b.saleAt(path)
		require.Equal(t, int64(100_000_000), sale.GivenMicros)
		require.Equal(t, 100_000_000-sale.PriceMicros, sale.Change().Micros())
		l := locale.New(locale.At(language.English, b.shop.Country), b.shop.Location())
		require.Contains(t, w.get(path).page(t).Find(".clock").Text(), "Change "+l.Amount(sale.Change()))
		paper := w.get(path + "/receipt").page(t).Find(".slip").Text()
		for _, part := range []string{"Paid €100.00", "Change " + l.Amount(sale.Change())} {
			require.Contains(t, squeezed(paper), part)
		}
		form.Set("key", b.server.NewKey())
		form.Set("number", "0871234599")
		form.Del("cash")
		exact := w.post("/sales", form).Header.Get("Location")
		b.becomes(exact, sales.Complete)
		require.NotContains(t, w.get(exact).page(t).Find(".clock").Text(), "Change")
		require.Contains(t, squeezed(w.get(exact+"/receipt").page(t).Find(".slip").Text()), "Change €0.00")
	})
}

// The receipt prints by itself once, where the till's printer is set so; the
// same form from another tab is the same print.
func TestAReceiptPrintsByItselfWhereThePrinterIsSetSo(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.atTill(staff.Cashier)
	another := with(w.topUpForm(), "number", "0871234598")
	path := w.sellTopUp()
	b.becomes(path, sales.Complete)
	require.Zero(t, w.get(path).page(t).Find("[data-auto-print]").Length(), "not asked for")

	printer := receipt.Printer{TillID: b.tills[0].ID, Width: receipt.Wide, Columns: 48, Auto: true}
	require.NoError(t, b.server.D.Receipts.SetPrinter(t.Context(), setup, printer))
	form := w.fields(path, "[data-auto-print]")
	first := w.post(path+"/print", form)
	require.Equal(t, http.StatusSeeOther, first.StatusCode, first.body)
	require.Equal(t, first.Header.Get("Location"), w.post(path+"/print", form).Header.Get("Location"))
	page := w.get(first.Header.Get("Location"))
	require.Contains(t, page.Header.Get("Content-Security-Policy"), "frame-ancestors 'self'")
	require.NotContains(t, page.page(t).Text(), "DUPLICATE")
	require.Zero(t, w.get(path).page(t).Find("[data-auto-print]").Length(), "it has printed")
	require.Contains(t, w.get(path+"/receipt").Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")

	late := w.post("/sales", another).Header.Get("Location")
	b.becomes(late, sales.Complete)
	require.Equal(t, 1, w.get(late).page(t).Find("[data-auto-print]").Length())
	b.pass(sale.AutoPrintFor + time.Minute)
	require.Zero(t, w.get(late).page(t).Find("[data-auto-print]").Length(), "nobody waits for it any more")
}

// A PIN's receipt prints when the PIN is shown: the paper would give it away.
func TestAPINPrintsByItselfOnceItIsShown(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.atTill(staff.Cashier)
	require.NoError(t, b.server.D.Receipts.SetPrinter(t.Context(), setup, receipt.Printer{TillID: b.tills[0].ID, Width: receipt.Wide, Columns: 48, Auto: true}))
	path := w.sellPIN()
	b.becomes(path, sales.Complete)
	require.Zero(t, w.get(path).page(t).Find("[data-auto-print]").Length())
	reveal := formOf(t, w.get(path), path+"/reveal")
	require.Equal(t, http.StatusSeeOther, w.post(path+"/reveal", reveal).StatusCode)
	printed := w.post(path+"/print", w.fields(path, "[data-auto-print]"))
	require.Equal(t, http.StatusSeeOther, printed.StatusCode, printed.body)
	require.Equal(t, 1, w.get(printed.Header.Get("Location")).page(t).Find(".secret").Length())
}

// A voucher that a customer brings back is found by the serial on it, with or
// without its dashes, also where it was sold before serials were kept.
func TestAPINIsFoundByItsSerial(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Cashier)
		path := w.sellPIN()
		b.becomes(path, sales.Complete)
		told, err := b.server.D.Sales.Receipt(b.saleAt(path))
		require.NoError(t, err)
		serial := told.Params["serial"]
		require.NotEmpty(t, serial)
		find := func(q string) string { return w.get("/sales?q=" + url.QueryEscape(q)).Header.Get("Location") }
		require.Equal(t, path, find(serial))
		require.Equal(t, path, find(strings.ToLower(strings.ReplaceAll(serial, "-", " "))))
		require.Empty(t, find(serial+"9"))
		for table, text := range dump(t, db) {
			require.NotContains(t, text, serial, table)
		}
		before := strings.TrimPrefix(path, "/sales/")
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("UPDATE sales SET serial_hash = '' WHERE id = ?", before).Error
		}))
		require.Empty(t, find(serial))
		require.NoError(t, b.server.D.Sales.Purge(t.Context()))
		require.Equal(t, path, find(serial))
	})
}

// The receipt is in the customer's language, product included; a language that
// the provider does not write in is English there.
func TestTheReceiptNamesTheProductInTheCustomersLanguage(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Cashier)
	form := w.topUpForm()
	snapshot := b.server.D.Catalog.Current()
	var sku string
	for p := range snapshot.AllProducts() {
		provider, ok := snapshot.Provider(p.Provider)
		if ok && provider.Country == "IE" && p.Addressed() && p.Fixed() && p.Instant() && len(p.Settings) == 0 && p.Unsellable == "" && snapshot.ProviderUp(p.Provider) &&
			p.Provider == "LUIE" && snapshot.Text(p, "fr").DisplayText != snapshot.Text(p, "en").DisplayText {
			sku = p.SKU
			break
		}
	}
	require.NotEmpty(t, sku, "nothing is written in French")
	product, _ := snapshot.Product(sku)
	require.NoError(t, b.server.D.Catalog.Want(t.Context(), "ru")) // as the first sale in Russian does
	require.NoError(t, b.server.D.Catalog.Sync(t.Context(), false, catalog.Texts))
	snapshot = b.server.D.Catalog.Current()
	require.Equal(t, "ru", snapshot.Text(product, "ru").Language)
	for _, language := range []string{"fr", "en", "ru"} {
		want := snapshot.Text(product, language).DisplayText
		form := with(form, "key", b.server.NewKey(), "sku", sku, "language", language, "another", "1")
		form.Set("shown", "")
		confirm := w.post("/sales", form) // the price of this product is another: it is asked for again
		sold := w.post("/sales", with(fieldsOf(confirm.page(t).Find("form.confirm")), "language", language, "another", "1"))
		require.Equal(t, http.StatusSeeOther, sold.StatusCode, sold.body)
		path := sold.Header.Get("Location")
		b.becomes(path, sales.Complete)
		paper := w.get(path + "/receipt").page(t)
		require.Equal(t, language, strings.Split(paper.Find("html").AttrOr("lang", ""), "-")[0])
		require.Contains(t, squeezed(paper.Find(".slip").Text()), squeezed(want))
	}
	require.Equal(t, snapshot.Text(product, "en"), snapshot.Text(product, "tlh"), "English where it is not written")
}

// TestThePaperOfALaterAttemptIsNoDuplicate: the one before told of a transfer that was taken back.
func TestThePaperOfALaterAttemptIsNoDuplicate(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.atTill(staff.Cashier)
		printer := receipt.Printer{TillID: b.tills[0].ID, Width: receipt.Wide, Columns: 48, Auto: true, Kick: true}
		require.NoError(t, b.server.D.Receipts.SetPrinter(t.Context(), setup, printer))
		path := w.sellTopUp()
		b.becomes(path, sales.Complete)
		prints := func() (address string) {
			address = w.post(path+"/print", w.fields(path, "[data-auto-print]")).Header.Get("Location")
			require.NotContains(t, w.get(address).page(t).Text(), "DUPLICATE")
			return address
		}
		first := prints()
		again := w.fields(path, "form.act-print")
		require.Contains(t, w.get(w.post(path+"/print", again).Header.Get("Location")).page(t).Text(), "DUPLICATE 1")
		b.moveSale(path, "fulfilment = 'failed', cash = 'refund_due'")
		b.pass(time.Minute)
		require.Equal(t, http.StatusSeeOther, w.post(path+"/retry", w.fields(path, "#act-retry")).StatusCode)
		b.becomes(path, sales.Complete)
		b.pass(time.Second)

		require.NotContains(t, w.get(path+"/receipt").page(t).Text(), "DUPLICATE")
		second := prints()
		require.NotEqual(t, first, second, "a paper of its own")
		require.NotContains(t, w.get(strings.Replace(second, "/receipt", "/receipt.escpos", 1)).body, "DUPLICATE")
		require.Zero(t, w.get(path).page(t).Find("[data-auto-print]").Length(), "once")
		again = w.fields(path, "form.act-print")
		third := w.post(path+"/print", again).Header.Get("Location")
		require.Contains(t, w.get(third).page(t).Text(), "DUPLICATE 1")
		require.Equal(t, 2, strings.Count(squeezed(w.get(path).page(t).Find("section:has(#timeline-title)").Text()), "DUPLICATE 1"), "one of each")
	})
}
