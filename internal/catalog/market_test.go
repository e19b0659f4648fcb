package catalog_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestRealList syncs a real list of products, if there is one beside the
// repository, and finds operators in it.
func TestRealList(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(realList); err != nil || testing.Short() {
		t.Skip("no list of real products, or no time for it")
	}
	u := wholeMarket(t)
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, u)
		require.NoError(t, b.SyncDue(t.Context()))
		c := b.Current()
		require.Equal(t, 17_573, c.Size())
		require.Zero(t, b.lastRun(t, catalog.Products).Unsellable)
		// In this list Irish operators sell PINs only: the country is all there is.
		irish := b.lookup(t, "0871234567")
		require.Equal(t, catalog.FoundCountry, irish.Outcome)
		require.Empty(t, irish.Candidates)
		require.Equal(t, catalog.KindPIN, c.ProductsOf(c.ProvidersIn(irish.Country)[0].Code)[0].Kind)
		for text, country := range map[string]string{
			"+2348031234567": "NG", "+639171234567": "PH", "+919812345678": "IN",
			"+525512345678": "MX", "+5352345678": "CU", "+201001234567": "EG", "+40721234567": "RO", "+48501234567": "PL",
		} {
			result := b.lookup(t, text)
			require.Equal(t, country, result.Country, text)
			require.Contains(t, []catalog.Found{catalog.FoundOperator, catalog.FoundChoice}, result.Outcome, text)
			require.Less(t, len(result.Candidates), 40, "never the whole list as if it matched")
			for _, candidate := range result.Candidates {
				require.Equal(t, country, candidate.Provider.Country)
				require.NotEmpty(t, c.Offers(catalog.OfferQuery{Provider: candidate.Provider.Code, Language: "es", At: time.Now()}))
			}
		}
	})
}
