package web

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
)

func TestCountriesAreNamedForTheReader(t *testing.T) {
	t.Parallel()
	for tag, first := range map[string][]string{"en": {"", "Afghanistan", "Åland Islands"}, "es": {"", "Afganistán", "Albania"}, "fr": {"", "Afghanistan", "Afrique du Sud"}, "ar": {"", "آيسلندا"}} {
		choices := frame.CountryChoices(locale.New(language.MustParse(tag), nil))
		codes := map[string]string{}
		for i, choice := range choices {
			codes[choice.Value] = choice.Text
			require.True(t, i == 0 || choice.Text != "", "%s %q", tag, choice.Value)
			if i < len(first) {
				require.Equal(t, first[i], choice.Text)
			}
		}
		require.Greater(t, len(codes), 240)
		require.Len(t, choices, len(codes))
		for _, code := range []string{"IE", "GB", "XK", "SS"} {
			require.Contains(t, codes, code)
		}
		require.False(t, slices.ContainsFunc([]string{"UK", "DD", "SU", "EU"}, func(code string) bool { return codes[code] != "" }))
	}
}

// TestEveryScreenNamesCountriesForTheReader: the catalogue has them in English.
func TestEveryScreenNamesCountriesForTheReader(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	till := b.atTill(staff.Cashier)
	sale := till.sellTo(irish)
	b.becomes(sale, sales.Complete)
	require.NoError(t, b.server.D.Report.Refresh(t.Context()))
	office := b.signIn(staff.Finance)
	for _, w := range []*browser{till, office} {
		w.post("/language", url.Values{"language": {"fr"}, "next": {"/"}})
	}
	chosen := till.get("/counter?number=0099999999999").page(t)
	names := chosen.Find("#countries .card-name").Map(func(_ int, name *goquery.Selection) string {
		return name.Text()
	})
	require.Greater(t, len(names), 40)
	require.Contains(t, names, "Irlande")
	require.Less(t, slices.Index(names, "Allemagne"), slices.Index(names, "Espagne"), "by their French names")
	require.Less(t, slices.Index(names, "Émirats arabes unis"), slices.Index(names, "Espagne"))
	for w, paths := range map[*browser][]string{
		till: {
			"/counter", "/counter?number=" + irish, "/counter?number=0099999999999",
			"/counter?number=" + irish + "&not=LUIE", sale, "/sales",
		},
		office: {
			"/sales", "/reports/sales?by=country", "/admin/prices/rule", "/admin/catalogue/products",
			"/admin/pick?of=providers&field=provider&find.provider=irl",
		},
	} {
		for _, path := range paths {
			text := w.get(path).page(t).Find("main").Text()
			for _, p := range b.server.D.Catalog.Current().ProvidersIn("IE") {
				text = strings.ReplaceAll(text, p.Name, "") // Lumera Mobile Ireland is called so everywhere
			}
			require.NotContains(t, text, "Ireland", path)
		}
	}
	others := till.get("/counter?number=" + irish + "&not=LUIE").page(t).Find("main").Text()
	for _, text := range []string{others, office.get("/reports/sales?by=country").page(t).Find("main").Text()} {
		require.Contains(t, text, "Irlande")
	}
}
