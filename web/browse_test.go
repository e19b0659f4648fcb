package web

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestTheCatalogueIsBrowsed by country, operator, state and what things are called; a product is hidden from its row.
func TestTheCatalogueIsBrowsed(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, stock.Copy, func(t *testing.T, db *store.DB) {
		b := newMarket(t, db)
		w := b.signIn(staff.Admin)
		on := b.server.D.Catalog.Current()
		operator := on.ProvidersIn("IE")[0]
		product := on.ProductsOf(operator.Code)[0]
		name := on.Text(product, "en").DisplayText
		const path = "/admin/catalogue/products"
		rows := func(query string) *goquery.Selection { return w.get(path + query).page(t).Find("main tbody tr") }

		seen := 0
		for address := path; address != ""; seen++ {
			page := w.get(address).page(t)
			if seen == 0 {
				require.Contains(t, page.Find(".tabs").Last().Find("[aria-current]").Text(), "600", "all of them are counted")
			}
			require.Positive(t, page.Find("main tbody tr").Length(), "%d %s", seen, address)
			require.NotContains(t, page.Find("main tbody").Text(), product.SKU)
			address = page.Find(`main a.button:contains("More products")`).AttrOr("href", "")
		}
		require.Equal(t, 10, seen, "pages of sixty")
		require.Contains(t, w.get(path+"?country=IE").page(t).Find(`[name="provider"] [value="`+operator.Code+`"]`).Text(), operator.Name)
		require.Equal(t, len(on.ProductsOf(operator.Code)), rows("?country=IE&provider="+operator.Code).Length())
		require.Zero(t, rows("?find=nothing+at+all").Length())
		require.Zero(t, rows("?state=hidden").Length())
		require.Equal(t, http.StatusNotFound, w.get(path+"?state=odd").StatusCode)

		hide := rows("?provider="+operator.Code).Find(`a[href$="#hide"][href*="`+product.SKU+`"]`).AttrOr("href", "")
		form := w.fill(hide, "/admin/catalogue/hide", "", map[string]string{"reason": "complaints"})
		require.Equal(t, product.SKU, form.Get("sku"), "it is picked")
		require.Equal(t, path+"?state=hidden&done=saved", w.post("/admin/catalogue/hide", form).Header.Get("Location"))
		hidden := rows("?state=hidden")
		require.Equal(t, 1, hidden.Length())
		for _, words := range []string{name, operator.Name, "complaints", "Show again"} {
			require.Contains(t, hidden.Text(), words)
		}

		gone := on.ProductsOf(operator.Code)[1]
		stopped := on.ProvidersIn("NG")[0]
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
			return errors.Join(
				tx.Exec("UPDATE products SET withdrawn_at = ? WHERE sku = ?", store.Moment(b.clock()), gone.SKU).Error,
				tx.Exec("UPDATE provider_statuses SET processing = FALSE, message = 'Down until noon' WHERE provider = ?", stopped.Code).Error,
				tx.Exec("UPDATE catalog_versions SET version = version + 1").Error,
			)
		}))
		require.NoError(t, b.server.D.Catalog.Refresh(t.Context()))
		require.Contains(t, rows("?state=missing").Text(), "Missing since")
		require.Equal(t, 1, rows("?state=missing").Length())
		troubled := rows("?state=trouble&provider=" + stopped.Code)
		require.Equal(t, len(on.ProductsOf(stopped.Code)), troubled.Length())
		require.Contains(t, troubled.First().Text(), "Down until noon")
		require.True(t, strings.HasPrefix(w.get(troubled.First().Find(`a[href$="#pin"]`).AttrOr("href", "")).Request.URL.Path, "/admin/counter"))

		if db.Dialect() == store.Postgres {
			asks := func(path string) int64 {
				before := db.Counts()
				w.get(path)
				return db.Counts().Sub(before).Statements
			}
			require.LessOrEqual(t, asks(path+"?find=ireland")-asks("/find"), int64(3), "what fails, what is noted and the alerts, beside what stands around every page")
		}
	})
}
