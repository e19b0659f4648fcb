package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// picked are the values that a picker offers.
func picked(page *goquery.Selection, field string) []string {
	return page.Find(`input[type=radio][name="` + field + `"]`).Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("value", "") })
}

// TestAProductIsPickedWithoutAScript: a form that searches comes back with what was
// found and with all that was typed into it, and does nothing before something is picked.
func TestAProductIsPickedWithoutAScript(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Manager)
		on := b.server.D.Catalog.Current()
		operator := on.ProvidersIn("IE")[0]
		product := on.ProductsOf(operator.Code)[0]
		name := on.Text(product, "en").DisplayText
		const path = "/admin/counter"
		hidden := func() int {
			all, err := b.server.D.Catalog.HiddenIn(t.Context(), b.shop.ID)
			require.NoError(t, err)
			return len(all)
		}
		form := w.fill(path, path, "hide", map[string]string{"reason": "complaints", "find-sku": "ireland " + operator.Name})
		sought := w.post(path, form)
		require.Equal(t, http.StatusSeeOther, sought.StatusCode)
		require.Zero(t, hidden(), "it only searches")
		address := sought.Header.Get("Location")
		require.NotContains(t, address, form.Get("csrf"), "no token stands in an address")
		page := w.get(address).page(t).Find("main")
		hide := page.Find(`form:has([name="act"][value="hide"])`)
		require.Equal(t, "complaints", hide.Find(`[name="reason"]`).AttrOr("value", ""))
		require.Equal(t, form.Get("find-sku"), hide.Find(`[name="find-sku"]`).AttrOr("value", ""))
		require.Contains(t, picked(hide, "sku"), product.SKU)
		require.Contains(t, hide.Find(`.choice:has([value="`+product.SKU+`"])`).Text(), name)
		require.Contains(t, hide.Find(`.choice:has([value="`+product.SKU+`"])`).Text(), operator.Name+" · ")
		require.NotContains(t, hide.Find(".matches").Text(), product.SKU, "no code is read")
		require.Empty(t, picked(page.Find(`form:has([name="act"][value="pin"])`), "sku"), "only the form that searched")

		chosen := with(fieldsOf(hide), "sku", product.SKU, "find-sku", form.Get("find-sku"), "reason", "complaints")
		require.Equal(t, http.StatusSeeOther, w.post(path, with(chosen, "find-sku", "nigeria")).StatusCode)
		require.Zero(t, hidden(), "what is looked for anew is looked for first")
		require.Equal(t, http.StatusSeeOther, w.post(path, chosen).StatusCode)
		require.Equal(t, 1, hidden())
		row := w.get(path).page(t).Find("#hide tbody tr")
		require.Contains(t, row.Text(), name)
		require.NotContains(t, row.Text(), product.SKU)
	})
}

// TestMatchesCostNoStatement beyond who asks: they are asked for with each key.
func TestMatchesCostNoStatement(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Manager)
		on := b.server.D.Catalog.Current()
		operator := on.ProvidersIn("IE")[0]
		ask := func(of, field, find string) *goquery.Selection {
			return w.get("/admin/pick?" + url.Values{"of": {of}, "field": {field}, "find-" + field: {find}}.Encode()).page(t).Selection
		}
		ask("product", "sku", "x")
		before := db.Counts()
		require.NotEmpty(t, picked(ask("product", "sku", operator.Name), "sku"))
		if db.Dialect() == store.Postgres {
			require.LessOrEqual(t, db.Counts().Sub(before).Statements, int64(1), "the session")
		}
		require.Contains(t, picked(ask("provider", "provider", strings.ToUpper(operator.Name)), "provider"), operator.Code)
		both := picked(ask("both", "code", operator.Name), "code")
		require.Equal(t, "provider:"+operator.Code, both[0])
		require.True(t, strings.HasPrefix(both[len(both)-1], "product:"))
		only := ask("product", "sku", on.ProductsOf(operator.Code)[0].SKU)
		require.Equal(t, 1, only.Find("[checked]").Length(), "a whole code finds one, which is picked")
		require.Contains(t, ask("product", "sku", "nowhere at all").Text(), "Nothing matches")
		require.Equal(t, http.StatusForbidden, b.signIn(staff.Cashier).get("/admin/pick?of=product&field=sku&find-sku=x").StatusCode)
	})
}
