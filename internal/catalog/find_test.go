package catalog_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestAWithdrawnProductIsDescribedAsBefore: what its text lacks in a language is said in English, part by part.
func TestAWithdrawnProductIsDescribedAsBefore(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		u.alter(func(path string, body []byte) []byte {
			if !strings.HasSuffix(path, "GetProductDescriptions") || !bytes.Contains(body, []byte(`"LanguageCode":"es"`)) {
				return body
			}
			body = regexp.MustCompile(`"DisplayText":"[^"]*"`).ReplaceAll(body, []byte(`"DisplayText":""`))
			return regexp.MustCompile(`"DescriptionMarkdown":"[^"]*"`).ReplaceAll(body, []byte(`"DescriptionMarkdown":""`))
		})
		b := newBench(t, db, u)
		b.syncAll(t)
		_, sold, err := b.Find(t.Context(), "SKU020", "es")
		require.NoError(t, err)
		require.NotEmpty(t, sold.Description)
		u.restock(t, stock(19)...)
		b.syncAll(t)
		_, listed := b.Current().Product("SKU020")
		require.False(t, listed)
		_, gone, err := b.Find(t.Context(), "SKU020", "es")
		require.NoError(t, err)
		require.Equal(t, sold, gone)
	})
}
