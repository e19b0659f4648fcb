package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/internal/storetest"
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
				receipt, err := b.server.d.Sales.Receipt(sale)
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

// sellPIN sells the first PIN of a fixed price and returns its path.
func (w *browser) sellPIN() string {
	w.b.t.Helper()
	pin := w.b.pin()
	got := w.post("/sales", confirmed(w.b.t, w.get("/counter?number="+irish+"&provider="+pin.Provider+"&sku="+pin.SKU)))
	require.Equal(w.b.t, http.StatusSeeOther, got.StatusCode, got.body)
	return got.Header.Get("Location")
}

// pin is a product that a cashier sells with two keys and whose PIN comes with
// the answer.
func (b *bench) pin() *catalog.Product {
	b.t.Helper()
	snapshot := b.server.d.Catalog.Current()
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
