package catalog_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

func TestHiddenProductsAreNotSoldAnywhere(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, newListed(t, stock(20)...))
		b.syncAll(t)
		other := newBench(t, db, b.upstream)
		require.NoError(t, other.Refresh(t.Context()))
		chain, by := audit.New(audit.Deps{DB: db, Now: b.clock.now, Log: slog.New(slog.DiscardHandler)}), audit.Command("test")
		sku, also := "", ""
		for p := range b.Current().AllProducts() {
			sku, also = p.SKU, sku
		}
		require.Equal(t, fault.Invalid, fault.KindOf(b.Hide(t.Context(), chain, by, sku, " ")), "a reason is asked for")

		require.NoError(t, b.Hide(t.Context(), chain, by, sku, "customers complain"))
		require.Equal(t, fault.Invalid, fault.KindOf(b.Hide(t.Context(), chain, by, "none", "why not")))
		for _, process := range []*bench{b, other} {
			require.NoError(t, process.Refresh(t.Context()))
			_, sold := process.Current().Product(sku)
			require.False(t, sold)
			require.Equal(t, 19, process.Current().Size())
		}
		b.syncAll(t)
		require.Equal(t, 19, b.Current().Size(), "a sync does not bring it back")
		hidden, err := b.HiddenProducts(t.Context())
		require.NoError(t, err)
		require.Len(t, hidden, 1)
		require.Equal(t, "customers complain", hidden[0].Reason)

		require.NoError(t, b.Hide(t.Context(), chain, by, also, "why not"))
		require.NoError(t, b.Show(t.Context(), chain, by, sku))
		_, sold := b.Current().Product(sku)
		require.True(t, sold)
		require.Equal(t, 19, b.Current().Size(), "the other stays hidden")
		require.NoError(t, b.Show(t.Context(), chain, by, sku), "shown already")
		records, err := chain.List(t.Context(), audit.Filter{})
		require.NoError(t, err)
		require.Len(t, records, 3)
	})
}

// TestWhatIsHiddenAlreadyIsNotHiddenAgain: the audit names the reason that is shown, and no other.
func TestWhatIsHiddenAlreadyIsNotHiddenAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, newListed(t, stock(3)...))
		b.syncAll(t)
		other := newBench(t, db, b.upstream)
		require.NoError(t, other.Refresh(t.Context()))
		ctx, here := t.Context(), b.shops(t, "North")[0]
		chain, by := audit.New(audit.Deps{DB: db, Now: b.clock.now, Log: slog.New(slog.DiscardHandler)}), audit.Command("test")
		sku := ""
		for p := range b.Current().AllProducts() {
			sku = p.SKU
		}
		require.NoError(t, b.HideIn(ctx, chain, by, here, sku, "first"))
		require.NoError(t, b.HideIn(ctx, chain, by, here, sku, "second"))
		require.NoError(t, b.Hide(ctx, chain, by, sku, "first"))
		require.NoError(t, other.Hide(ctx, chain, by, sku, "second"), "it does not know yet")
		inShop, err := b.HiddenIn(ctx, here)
		require.NoError(t, err)
		everywhere, err := b.HiddenProducts(ctx)
		require.NoError(t, err)
		for _, hidden := range [][]catalog.Hidden{inShop, everywhere} {
			require.Len(t, hidden, 1)
			require.Equal(t, "first", hidden[0].Reason)
		}
		records, err := chain.List(ctx, audit.Filter{})
		require.NoError(t, err)
		reasons := map[audit.Act][]string{}
		for _, r := range records {
			reasons[r.Act] = append(reasons[r.Act], r.Reason)
		}
		require.Equal(t, []string{"first"}, reasons[audit.ProductHidden])
		require.Equal(t, []string{"first"}, reasons[audit.ProductHiddenInShop])
	})
}

// TestWhatSomebodyElseHasHiddenIsStillAProduct: whoever opened the page before finds it hidden, not unknown.
func TestWhatSomebodyElseHasHiddenIsStillAProduct(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, newListed(t, stock(3)...))
		b.syncAll(t)
		ctx, here := t.Context(), b.shops(t, "North")[0]
		chain, by := audit.New(audit.Deps{DB: db, Now: b.clock.now, Log: slog.New(slog.DiscardHandler)}), audit.Command("test")
		sku := ""
		for p := range b.Current().AllProducts() {
			sku = p.SKU
		}
		require.NoError(t, b.Hide(ctx, chain, by, sku, "first"))
		_, sold := b.Current().Product(sku)
		require.False(t, sold)
		require.NoError(t, b.Hide(ctx, chain, by, sku, "second"), "it is as they want it")
		hidden, err := b.HiddenProducts(ctx)
		require.NoError(t, err)
		require.Len(t, hidden, 1)
		require.Equal(t, "first", hidden[0].Reason)

		require.NoError(t, b.HideIn(ctx, chain, by, here, sku, "not here"))
		require.NoError(t, b.Show(ctx, chain, by, sku))
		inShop, err := b.HiddenIn(ctx, here)
		require.NoError(t, err)
		require.Len(t, inShop, 1, "one shop goes on without it")

		require.NoError(t, b.Hide(ctx, chain, by, sku, "again"))
		var f *fault.Error
		require.ErrorAs(t, b.Pin(ctx, sku, here), &f)
		require.Equal(t, []string{"sku", "product.hidden"}, []string{f.Field, f.Code})
	})
}
