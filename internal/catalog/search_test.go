package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
)

// inSpanish looks for a text as somebody does who has Spanish words for two countries and
// a kind.
func inSpanish(text string) catalog.Search {
	countries, kinds := map[string]string{"IE": "Irlanda", "NG": "Nigéria"}, map[catalog.Kind]string{catalog.KindTopUp: "Recargas"}
	return catalog.Search{
		Text: text, Language: "es", Home: "IE", Limit: 3,
		Country: func(c *catalog.Country) string { return countries[c.ISO] },
		Kind:    func(k catalog.Kind) string { return kinds[k] },
	}
}

// TestProductsAreFoundByWhatTheyAreCalled, and those at home come first.
func TestProductsAreFoundByWhatTheyAreCalled(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), newListed(t, append(
		stock(20), "MTN1,Big Nigeria,NGN 300.00,Top-up,Nigeria,N/A", "MTN2,Big Nigeria,NGN 200.00,Top-up,Nigeria,N/A",
		"ABC,Abacus Nigeria,NGN 100.00,Top-up,Nigeria,N/A",
	)...))
	b.syncAll(t)
	for text, want := range map[string][]string{
		"MTN1":                {"MTN1"},
		"mtn":                 nil, // a part of a code is nothing that anybody says
		"big 200":             {"MTN2"},
		"nigeria":             {"ABC", "MTN2", "MTN1"},
		"NIGÉRIA abacus":      {"ABC"},
		"recargas":            {"SKU001", "SKU002", "SKU003"},
		"recargas nigeria 30": {"MTN1"},
		"zephyr nigeria":      nil,
		"ireland irlanda 20":  {"SKU020"},
	} {
		found, all := b.Current().FindProducts(inSpanish(text))
		var skus []string
		for _, p := range found {
			skus = append(skus, p.SKU)
		}
		require.Equal(t, want, skus, text)
		if text == "recargas" {
			require.Equal(t, 23, all)
		} else {
			require.Equal(t, len(want), all, text)
		}
	}
}

func TestProvidersAreFoundByWhatTheyAreCalled(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), newListed(t, append(
		stock(2), "MTN1,Big Nigeria,NGN 300.00,Top-up,Nigeria,N/A", "ABC,Abacus Nigeria,NGN 100.00,Top-up,Nigeria,N/A",
	)...))
	b.syncAll(t)
	for text, want := range map[string][]string{
		"nigeria": {"Abacus Nigeria", "Big Nigeria"}, "recargas": {"Zephyr Ireland", "Abacus Nigeria", "Big Nigeria"},
		"irlanda": {"Zephyr Ireland"}, "300": nil, b.Current().ProvidersIn("IE")[0].Code: {"Zephyr Ireland"},
	} {
		found, all := b.Current().FindProviders(inSpanish(text))
		var names []string
		for _, p := range found {
			names = append(names, p.Name)
		}
		require.Equal(t, want, names, text)
		require.Equal(t, len(want), all)
	}
}

// BenchmarkFindProducts looks through a whole market: with each key that somebody types.
func BenchmarkFindProducts(b *testing.B) {
	bench := newBench(b, storetest.New(b), wholeMarket(b))
	bench.syncAll(b)
	for _, text := range []string{"a", "ireland", "no such thing"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				bench.Current().FindProducts(inSpanish(text))
			}
		})
	}
}
