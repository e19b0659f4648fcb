package catalog_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

func TestAShopArrangesItsOwnCounter(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, newListed(t, stock(20)...))
		b.syncAll(t)
		ctx, by := t.Context(), audit.Command("test")
		chain := audit.New(audit.Deps{DB: db, Now: b.clock.now, Log: slog.New(slog.DiscardHandler)})
		shops := b.shops(t, "North", "South")
		var skus []string
		for p := range b.Current().AllProducts() {
			skus = append(skus, p.SKU)
		}
		for _, sku := range skus[:3] {
			require.NoError(t, b.Pin(ctx, sku, shops...))
		}
		inOrder := func(want ...string) {
			t.Helper()
			got, err := b.Favourites(ctx, shops[0])
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		inOrder(skus[0], skus[1], skus[2])
		require.NoError(t, b.MoveFavourite(ctx, shops[0], skus[2], -2))
		inOrder(skus[2], skus[0], skus[1])
		require.NoError(t, b.MoveFavourite(ctx, shops[0], skus[2], 1))
		inOrder(skus[0], skus[2], skus[1])
		require.NoError(t, b.MoveFavourite(ctx, shops[0], skus[0], -1), "the first stays the first")
		require.NoError(t, b.MoveFavourite(ctx, shops[0], "none", 1), "taken away meanwhile")
		require.NoError(t, b.Pin(ctx, skus[3], shops[0]))
		inOrder(skus[0], skus[2], skus[1], skus[3])
		theirs, err := b.Favourites(ctx, shops[1])
		require.NoError(t, err)
		require.Equal(t, skus[:3], theirs, "another shop's stay where they are")

		require.Equal(t, fault.Invalid, fault.KindOf(b.HideIn(ctx, chain, by, shops[0], skus[4], " ")))
		require.Equal(t, fault.Invalid, fault.KindOf(b.HideIn(ctx, chain, by, shops[0], "none", "why not")))
		require.NoError(t, b.HideIn(ctx, chain, by, shops[0], skus[4], "too many complaints"))
		for shop, count := range map[string]int{shops[0]: 1, shops[1]: 0} {
			hidden, err := b.HiddenIn(ctx, shop)
			require.NoError(t, err)
			require.Len(t, hidden, count)
		}
		require.NoError(t, b.HideIn(ctx, chain, by, shops[1], skus[4], "here, too"))
		require.NoError(t, b.HideIn(ctx, chain, by, shops[0], skus[5], "it, too"))
		require.NoError(t, b.ShowIn(ctx, chain, by, shops[0], skus[4]))
		for shop, stays := range map[string]string{shops[0]: skus[5], shops[1]: skus[4]} {
			hidden, err := b.HiddenIn(ctx, shop)
			require.NoError(t, err)
			require.Len(t, hidden, 1, "what was not shown stays hidden")
			require.Equal(t, stays, hidden[0].SKU)
		}
		acts, err := chain.List(ctx, audit.Filter{})
		require.NoError(t, err)
		require.Equal(t, audit.ProductShownInShop, acts[0].Act)
	})
}
