package web

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestACanaryPINIsNowhereInClear sells a PIN whose number is known, by a reply
// and by a webhook, shows it, prints it, and then looks for it everywhere else.
func TestACanaryPINIsNowhereInClear(t *testing.T) {
	t.Parallel()
	for name, deferred := range map[string]bool{"told by the reply": false, "told by a webhook": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				b := newMarketWith(t, db, deferred)
				cashier := b.atTill(staff.Cashier)
				path := cashier.sellPIN()
				b.becomes(path, sales.Complete)
				sale := b.saleAt(path)
				receipt, err := b.server.D.Sales.Receipt(sale)
				require.NoError(t, err)
				canary := receipt.PIN()
				require.Greater(t, len(canary), 6)
				clear := func(text string) bool {
					return strings.Contains(strings.NewReplacer(" ", "", "-", "", "\u00a0", "").Replace(text), canary)
				}
				require.True(t, clear(receipt.Text), "the provider's text holds it, too")

				csrf := cashier.get(path).page(t).Find("form.reveal input[name=csrf]").AttrOr("value", "")
				require.Equal(t, http.StatusSeeOther, cashier.post(path+"/reveal", url.Values{"csrf": {csrf}}).StatusCode)
				require.True(t, clear(cashier.get(path).page(t).Text()), "the test finds it where it is shown")
				cashier.get(path + "/receipt")

				require.False(t, clear(b.log.String()), "in the log")
				require.False(t, clear(b.browser().do(http.MethodGet, "/metrics", nil, nil).body), "in a metric")
				require.False(t, clear(b.browser().get("/s/"+sale.Code).body), "on the customer's public page")
				for _, role := range []staff.Role{staff.Supervisor, staff.Manager, staff.Finance, staff.Auditor, staff.Admin} {
					other := b.signIn(role)
					for _, page := range []string{path, "/sales", "/sales?q=" + sale.Code, "/"} {
						require.False(t, clear(other.get(page).body), "%s sees it on %s", role, page)
					}
				}
				for table, text := range dump(t, db) {
					require.False(t, clear(text), "in table %s", table)
				}
			})
		})
	}
}

// TestAPINIsGatedWhateverItIsWrittenUnder sells what is redeemed by reading the
// receipt, with the code in the provider's text alone or under keys that nobody
// has heard of: no role, page, file or search shows it, but to whom it was
// revealed, and the customer's receipt has it.
func TestAPINIsGatedWhateverItIsWrittenUnder(t *testing.T) {
	t.Parallel()
	for name, deferred := range map[string]bool{"told by the reply": false, "told by a webhook": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				b := newMarketWith(t, db, deferred)
				cashier := b.atTill(staff.Cashier)
				canaries := map[string]string{} // by the path of the sale
				for canary, fault := range map[string]string{
					"7391846205518273": `"text":"Your code: 7391 8462 0551 8273"`,
					"8402957316629384": `"params":{"voucherCode":"8402957316629384"}`,
					"9513068427730495": `"text":"Thank you","params":{"PIN":"9513068427730495","providerRef":"77"}`,
					"6284197530864209": `"params":{"token":"6284 1975 3086 4209","units":"12.5"}`,
				} {
					b.simulate(http.MethodPost, "faults", `[{"match":{"endpoint":"Provider"},"action":{"kind":"receipt",`+fault+`}}]`)
					path := cashier.sellAnotherPIN()
					b.becomes(path, sales.Complete)
					canaries[path] = canary
				}
				require.Len(t, canaries, 4)
				b.crawlForCanaries(staff.Cashier, canaries)
				for path, canary := range canaries {
					b.revealed(cashier, path, canary)
				}
				for _, role := range staff.Roles()[1:] {
					b.crawlForCanaries(role, canaries)
				}
				require.False(t, holds(b.log.String(), canaries), "in the log")
				require.False(t, holds(b.browser().do(http.MethodGet, "/metrics", nil, nil).body, canaries), "in a metric")
				for table, text := range dump(t, db) {
					require.False(t, holds(text, canaries), "in table %s", table)
				}
			})
		})
	}
}

// holds says whether any canary stands in a text, however it is grouped.
func holds(text string, canaries map[string]string) bool {
	plain := strings.NewReplacer(" ", "", "-", "", "\u00a0", "", "\u202f", "").Replace(text)
	for _, canary := range canaries {
		if strings.Contains(plain, canary) {
			return true
		}
	}
	return false
}

// revealed shows a PIN to the cashier on record: then the page, the customer's
// receipt and its print have it, and the shop's copy never.
func (b *bench) revealed(w *browser, path, canary string) {
	t := b.t
	t.Helper()
	only := map[string]string{path: canary}
	require.Equal(t, http.StatusConflict, w.get(path+"/receipt").StatusCode, "no paper before it is shown")
	require.Equal(t, http.StatusSeeOther, w.post(path+"/reveal", formOf(t, w.get(path), path+"/reveal")).StatusCode)
	require.True(t, holds(w.get(path).page(t).Text(), only), "%s is not on its page", canary)
	require.True(t, holds(w.get(path+"/receipt").page(t).Text(), only), "%s is not on the customer's receipt", canary)
	for copied, has := range map[string]bool{"customer": true, "shop": false} {
		csrf := w.csrf(path)
		printed := w.post(path+"/print", url.Values{"csrf": {csrf}, "key": {b.server.NewKey()}, "copy": {copied}})
		require.Equal(t, http.StatusSeeOther, printed.StatusCode, printed.body)
		paper := w.get(printed.Header.Get("Location"))
		require.Equal(t, has, holds(paper.page(t).Text(), only), "on the %s's copy", copied)
		file := paper.page(t).Find(`[href*="receipt.escpos"]`).AttrOr("href", "")
		require.Equal(t, has, holds(w.get(file).body, only), "in the printer's bytes of the %s's copy", copied)
	}
	told, err := b.audit().List(t.Context(), audit.Filter{Act: audit.PINRevealed, Subject: audit.Of(audit.Sale, strings.TrimPrefix(path, "/sales/"))})
	require.NoError(t, err)
	require.Len(t, told, 1)
	b.pass(10 * time.Minute)
	again := w.post(path+"/reveal", url.Values{"csrf": {w.csrf(path)}})
	require.NotEqual(t, http.StatusSeeOther, again.StatusCode, "a second showing needs a reason")
}

// crawlForCanaries reads every page and file that a role may see: those of each
// sale, and all others once.
func (b *bench) crawlForCanaries(role staff.Role, canaries map[string]string) {
	b.t.Helper()
	w := b.signIn(role)
	if role.InShop() {
		w = b.atTill(role)
	}
	read := map[string]bool{}
	look := func(page string) {
		if got := w.get(page); got.StatusCode == http.StatusOK && !read[page] {
			read[page] = true
			require.False(b.t, holds(unzipped(b.t, got.body), canaries), "%s sees it on %s", role, page)
		}
	}
	once := true
	for path, canary := range canaries {
		sale := b.saleAt(path)
		names := strings.NewReplacer(":id", sale.ID, ":code", sale.Code, ":name", "sales", ":provider", sale.ProviderCode)
		for _, r := range b.server.routes() {
			ofSale := strings.HasPrefix(r.Path, "/sales/:id")
			if r.Method != http.MethodGet || strings.Contains(r.Path, "*") || r.Stream && !ofSale || !ofSale && !once {
				continue
			}
			look(strings.Replace(names.Replace(r.Path), "/shift/"+sale.ID, "/shift/"+sale.ShiftID, 1))
		}
		for _, page := range []string{path + "/receipt?copy=shop", "/sales?q=" + sale.Code, "/find?q=" + sale.Code} {
			look(page)
		}
		once = false
		for _, page := range []string{"/sales?q=", "/find?q="} {
			got := w.get(page + canary)
			require.NotContains(b.t, got.body+got.Header.Get("Location"), sale.ID, "%s finds the sale by its PIN", role)
		}
	}
	require.Greater(b.t, len(read), 10, "%s reads pages", role)
}

// unzipped is a workbook's text; other bodies are themselves.
func unzipped(t testing.TB, body string) string {
	t.Helper()
	if !strings.HasPrefix(body, "PK\x03\x04") {
		return body
	}
	book, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	require.NoError(t, err)
	var all strings.Builder
	for _, file := range book.File {
		part, err := file.Open()
		require.NoError(t, err)
		_, err = io.Copy(&all, part)
		require.NoError(t, err)
		require.NoError(t, part.Close())
	}
	return all.String()
}

// sellPIN sells the first PIN of a fixed price and returns its path.
func (w *browser) sellPIN() string {
	w.b.t.Helper()
	pin := w.b.pin()
	got := w.post("/sales", confirmed(w.b.t, w.get("/counter?number="+irish+"&provider="+pin.Provider+"&sku="+pin.SKU)))
	require.Equal(w.b.t, http.StatusSeeOther, got.StatusCode, got.body)
	return got.Header.Get("Location")
}

// sellAnotherPIN sells the same once more to somebody else.
func (w *browser) sellAnotherPIN() string {
	w.b.t.Helper()
	pin := w.b.pin()
	form := fieldsOf(w.get("/counter?number=" + irish + "&provider=" + pin.Provider + "&sku=" + pin.SKU).page(w.b.t).Find("form.confirm"))
	form.Set("another", "1")
	return w.post("/sales", form).Header.Get("Location")
}

// pin is a product that a cashier sells with two keys and whose PIN comes with
// the answer.
func (b *bench) pin() *catalog.Product {
	b.t.Helper()
	snapshot := b.server.D.Catalog.Current()
	for p := range snapshot.AllProducts() {
		provider, ok := snapshot.Provider(p.Provider)
		if ok && p.OnReceipt() && !p.Addressed() && p.Fixed() && p.Instant() && len(p.Settings) == 0 && p.Unsellable == "" && provider.Country == "IE" && snapshot.ProviderUp(p.Provider) {
			return p
		}
	}
	b.t.Fatal("the simulator sells no PIN")
	return nil
}

// dump reads every column of every table, jobs included, as text.
func dump(t *testing.T, db *store.DB) map[string]string {
	t.Helper()
	query := "SELECT name FROM sqlite_master WHERE type = 'table'"
	if db.Dialect() == store.Postgres {
		query = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
	}
	var tables []string
	require.NoError(t, db.Read(t.Context()).Raw(query).Scan(&tables).Error)
	require.Contains(t, tables, "river_job")
	texts := map[string]string{}
	for _, table := range tables {
		var rows []map[string]any
		require.NoError(t, db.Read(t.Context()).Table(table).Find(&rows).Error)
		var all strings.Builder
		for _, row := range rows {
			for _, value := range row {
				if raw, ok := value.([]byte); ok {
					value = string(raw)
				}
				fmt.Fprintln(&all, value)
			}
		}
		texts[table] = all.String()
	}
	require.Contains(t, texts["sales"], "complete")
	return texts
}
