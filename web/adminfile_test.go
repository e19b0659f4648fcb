package web

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/pricing"
	"airtill/internal/reconcile"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
)

// TestEveryTableOfTheOfficeIsTakenAway: with as many rows as the page shows, each
// beginning with the same words.
func TestEveryTableOfTheOfficeIsTakenAway(t *testing.T) {
	t.Parallel()
	b := trading(t)
	w, taken := b.signIn(staff.Admin), 0
	for _, place := range frame.OfficePlaces {
		w.get(place.Path).page(t).Find(".office-part").Each(func(_ int, part *goquery.Selection) {
			table := part.Find("table").First()
			if table.Length() == 0 {
				return
			}
			files := part.Find(".exports a")
			require.Equal(t, len(frame.ExportFormats), files.Length(), "%s: %s", place.Path, part.Find("h2").Text())
			files.Each(func(i int, link *goquery.Selection) {
				got := w.get(link.AttrOr("href", ""))
				require.Equal(t, http.StatusOK, got.StatusCode, link.AttrOr("href", ""))
				require.True(t, strings.HasPrefix(got.body, []string{"\uFEFF", "PK", "%PDF-"}[i]), link.Text())
				if i > 0 {
					return
				}
				rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(got.body, "\uFEFF"))).ReadAll()
				require.NoError(t, err)
				shown := table.Find("tbody tr")
				require.Len(t, rows, shown.Length()+1, link.AttrOr("href", ""))
				require.Equal(t, strings.TrimSpace(table.Find("thead th").First().Text()), rows[0][0])
				words := func(text string) string {
					return strings.Join(strings.Fields(strings.NewReplacer("(", " ", ")", " ", "'", "").Replace(text)), " ")
				}
				require.Equal(t, words(shown.First().Find("th, td").First().Text()), words(rows[1][0]))
				taken++
			})
		})
	}
	require.Greater(t, taken, 5)
	b.stand(reconcile.Break{Kind: reconcile.BalanceUp, Micros: 5_000_000, FloatMicros: 5_000_000})
	finance := b.signIn(staff.Finance)
	for _, list := range []string{"/shifts", "/shifts?from=2026-02-01&to=2026-02-20", "/reconcile", "/reconcile/drawers"} {
		page := finance.get(list).page(t)
		files := page.Find(".exports a")
		require.Equal(t, len(frame.ExportFormats), files.Length(), list)
		files.Each(func(i int, link *goquery.Selection) {
			got := finance.get(link.AttrOr("href", ""))
			require.Equal(t, http.StatusOK, got.StatusCode, link.AttrOr("href", ""))
			require.True(t, strings.HasPrefix(got.body, []string{"\uFEFF", "PK", "%PDF-"}[i]), link.Text())
			if i == 0 {
				rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(got.body, "\uFEFF"))).ReadAll()
				require.NoError(t, err)
				shown := page.Find("table.list tbody tr").Length()
				if page.Find(".page-foot a").Length() == 0 {
					require.Len(t, rows, shown+1, list)
				} else {
					require.Greater(t, len(rows), shown+1, list)
				}
			}
		})
		require.Equal(t, http.StatusNotFound, finance.get("/shifts?file=exe").StatusCode)
	}
	for _, none := range []string{"file=csv", "file=csv&table=99", "file=csv&table=-1", "file=exe&table=0"} {
		require.Equal(t, http.StatusNotFound, w.get("/admin/audit?"+none).StatusCode, none)
	}
	require.Equal(t, http.StatusForbidden, b.signIn(staff.Finance).get("/admin/audit?file=csv&table=0").StatusCode)
}

// TestAPrintedFileIsEnglishToTheLastNameForWhoReadsArabic: its typeface has no letters for any other name.
func TestAPrintedFileIsEnglishToTheLastNameForWhoReadsArabic(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	_, err := b.server.D.Pricing.SaveRule(t.Context(), setup, pricing.Rule{Name: "Here", Priority: 1, Country: "IE", Way: pricing.Percent, Value: "2.5"})
	require.NoError(t, err)
	on, sku := b.server.D.Catalog.Current(), ""
	for p := range on.AllProducts() {
		if on.Text(p, "ar").DisplayText != on.Text(p, "en").DisplayText {
			sku = p.SKU
		}
	}
	require.NotEmpty(t, sku)
	require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
		return tx.Exec("INSERT INTO foreign_sales (transfer_ref, ref, seller, sku_code, micros, currency, booked_at) VALUES ('T1', 'KIOSK01', 'KIOSK', ?, -5000000, 'EUR', ?)", sku, b.clock()).Error
	}))
	for role, lists := range map[staff.Role][]string{
		staff.Admin:   {"/admin/prices?table=0&", "/admin/audit?table=0&action=price-rule.saved&"},
		staff.Finance: {"/reconcile/outside?list=sold&"},
	} {
		w := b.signIn(role)
		for _, list := range lists {
			w.post("/language", url.Values{"language": {"en"}})
			english := pdfTexts(t, w.get(list+"file=pdf").body)
			require.NotEmpty(t, english, list)
			w.post("/language", url.Values{"language": {"ar"}})
			require.Equal(t, english, pdfTexts(t, w.get(list+"file=pdf").body), list)
		}
	}
}
