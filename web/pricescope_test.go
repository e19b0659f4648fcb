package web

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
)

// TestARuleThatCouldNeverDecideIsRefused: nobody would notice that nothing on sale
// comes under it. What is on sale can be chosen.
func TestARuleThatCouldNeverDecideIsRefused(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w := b.signIn(staff.Finance)
	on := b.server.D.Catalog.Current()
	irish := on.ProvidersIn("IE")[0]
	product := on.ProductsOf(irish.Code)[0]
	other := on.ProvidersIn("NG")[0]
	const page = "/admin/prices/rule"
	for field, scope := range map[string]map[string]string{
		"provider": {"provider": "NOPE"},
		"sku":      {"sku": product.SKU, "provider": other.Code},
		"country":  {"country": "NG", "provider": irish.Code},
	} {
		for _, act := range []string{"preview", "save"} {
			form := w.fill(page, page, "", map[string]string{"name": "Rule", "value": "3", "act": act})
			for name, value := range scope {
				form.Set(name, value)
			}
			got := w.post(page, form)
			require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, field)
			require.Equal(t, 1, got.page(t).Find(`.field.refused [name="find-`+field+`"], .field.refused select[name="`+field+`"]`).Length(), "%s is named", field)
		}
	}
	for field, typed := range map[string]string{"country": "IRELAND", "sku": "XX-none"} {
		form := w.fill(page, page, "", map[string]string{"name": "Rule", "value": "3", "act": "save"})
		form.Set(field, typed)
		got := w.post(page, form)
		require.Equal(t, http.StatusUnprocessableEntity, got.StatusCode, field)
		require.Equal(t, 1, got.page(t).Find(`.field.refused [name="find-`+field+`"], .field.refused select[name="`+field+`"]`).Length(), field)
	}
	lists := w.get(page).page(t)
	require.Equal(t, "Ireland", lists.Find(`select[name="country"] [value="IE"]`).Text())
	form := w.fill(page, page, "", map[string]string{"name": "Rule", "value": "3", "act": "save", "country": "IE", "provider": irish.Code, "sku": product.SKU})
	require.Equal(t, http.StatusSeeOther, w.post(page, form).StatusCode)
}
