package catalog_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestARowThatComesToHoldAZeroCharacterIsNotSoldAsItWas: its old price would stay on sale.
func TestARowThatComesToHoldAZeroCharacterIsNotSoldAsItWas(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		b := newBench(t, db, u)
		b.syncAll(t)
		before, _ := b.Current().Product("SKU007")
		u.alter(func(path string, body []byte) []byte {
			if path != "GetProducts" {
				return body
			}
			head, row, _ := bytes.Cut(body, []byte(`"SkuCode":"SKU007"`))
			row = bytes.Replace(row, []byte(`"CommissionRate":`), []byte(`"CommissionRate":0.01,"x":`), 1)
			row = bytes.Replace(row, []byte(`"DefaultDisplayText":"`), []byte(`"DefaultDisplayText":"\\\u0000`), 1)
			return slices.Concat(head, []byte(`"SkuCode":"SKU007"`), row)
		})
		b.syncAll(t)
		after, sold := b.Current().Product("SKU007")
		require.True(t, sold)
		require.NotEqual(t, "0.01", before.CommissionRate)
		require.Equal(t, "0.01", after.CommissionRate)
		require.Equal(t, `\`+before.DisplayText, after.DisplayText)
		require.Equal(t, catalog.Done, b.lastRun(t, catalog.Products).Outcome)
		b.syncAll(t)
		require.Zero(t, b.lastRun(t, catalog.Products).Changed, "it is known now")
	})
}
