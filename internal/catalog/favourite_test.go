package catalog_test

import (
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
)

// shops opens shops by name.
func (b *bench) shops(t *testing.T, names ...string) (ids []string) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	people := staff.New(staff.Deps{
		DB: b.db, Now: b.clock.now, Audit: audit.New(audit.Deps{DB: b.db, Now: b.clock.now, Log: log}), Log: log, Hashing: stafftest.Hashing(),
	})
	for _, name := range names {
		shop, _, err := people.CreateShop(t.Context(), audit.Command("test"), staff.NewShop{Name: name, Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		ids = append(ids, shop.ID)
	}
	return ids
}

// TestAShopHasThirtyFavourites and no more: where one shop of several is full, none gets another, and the shop is named.
func TestAShopHasThirtyFavourites(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, newListed(t, stock(32)...))
		b.syncAll(t)
		ctx, shops := t.Context(), b.shops(t, "North", "South")
		var skus []string
		for p := range b.Current().AllProducts() {
			skus = append(skus, p.SKU)
		}
		pinned := func(shop string) []string {
			got, err := b.Favourites(ctx, shop)
			require.NoError(t, err)
			return got
		}
		require.Empty(t, pinned(shops[0]))
		for _, sku := range skus[:30] {
			require.NoError(t, b.Pin(ctx, sku, shops[1]))
		}
		require.Equal(t, skus[:30], pinned(shops[1]))
		require.NoError(t, b.Pin(ctx, skus[0], shops...), "in the full one it is pinned already")
		require.Equal(t, skus[:1], pinned(shops[0]))
		require.Equal(t, skus[:30], pinned(shops[1]), "and stays where it was")

		var full *fault.Error
		require.ErrorAs(t, b.Pin(ctx, skus[30], shops...), &full)
		require.Equal(t, fault.Conflict, full.Kind)
		require.Equal(t, []any{"South", 30}, full.Args)
		require.Equal(t, skus[:1], pinned(shops[0]), "all of them or none")
		require.NoError(t, b.Unpin(ctx, skus[1], shops[0]))
		require.Equal(t, skus[:30], pinned(shops[1]), "what one shop takes away another keeps")

		require.NoError(t, b.Unpin(ctx, skus[5], shops...))
		require.NoError(t, b.Unpin(ctx, skus[5], shops...), "gone already")
		require.NoError(t, b.Pin(ctx, skus[30], shops...))
		require.Equal(t, []string{skus[0], skus[30]}, pinned(shops[0]))
		require.Equal(t, skus[30], pinned(shops[1])[29], "the last")
		require.Equal(t, skus[6], pinned(shops[1])[5], "the others move up")
	})
}

// TestPinsAtOnceKeepTheBound: nobody counts before another's pin is there, and the same pin twice is one.
func TestPinsAtOnceKeepTheBound(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, newListed(t, stock(45)...))
		b.syncAll(t)
		ctx, shops := t.Context(), b.shops(t, "North", "South")
		var skus []string
		for p := range b.Current().AllProducts() {
			skus = append(skus, p.SKU)
		}
		atOnce := func(n int, pin func(i int) error) (failed []error) {
			errs := make([]error, n)
			var all sync.WaitGroup
			for i := range n {
				all.Go(func() { errs[i] = pin(i) })
			}
			all.Wait()
			return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
		}
		require.Empty(t, atOnce(8, func(i int) error { // in any order of the shops
			return b.Pin(ctx, skus[44], shops[i%2], shops[1-i%2])
		}))
		for _, err := range atOnce(44, func(i int) error { return b.Pin(ctx, skus[i], shops[0]) }) {
			require.Equal(t, fault.Conflict, fault.KindOf(err), err)
		}
		got, err := b.Favourites(ctx, shops[0])
		require.NoError(t, err)
		require.Len(t, got, 30)
	})
}

// TestFavouritesAreMovedAtOnce by two managers: each move is one step on what the other left, and none fails.
func TestFavouritesAreMovedAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, newListed(t, stock(30)...))
		b.syncAll(t)
		ctx, here := t.Context(), b.shops(t, "North")[0]
		var skus []string
		for p := range b.Current().AllProducts() {
			skus = append(skus, p.SKU)
			require.NoError(t, b.Pin(ctx, p.SKU, here))
		}
		for range 4 {
			errs := make([]error, 6)
			var all sync.WaitGroup
			for i := range errs {
				all.Go(func() { errs[i] = b.MoveFavourite(ctx, here, skus[i%2*29], 1-i%2*2) })
			}
			all.Wait()
			for _, err := range errs {
				require.NoError(t, err)
			}
		}
		got, err := b.Favourites(ctx, here)
		require.NoError(t, err)
		require.Equal(t, skus[0], got[12], "twelve steps down")
		require.Equal(t, skus[29], got[17], "twelve steps up")
	})
}

// TestOnlyWhatIsSoldIsPinned; what is no longer sold stays in its place, and can be taken away.
func TestOnlyWhatIsSoldIsPinned(t *testing.T) {
	t.Parallel()
	b := shop(t)
	here := b.shops(t, "North")[0]
	for sku, code := range map[string]string{"": "product.unnamed", "NONE": "product.none"} {
		var f *fault.Error
		require.ErrorAs(t, b.Pin(t.Context(), sku, here), &f)
		require.Equal(t, []string{"sku", code}, []string{f.Field, f.Code})
	}
	require.NoError(t, b.Pin(t.Context(), "TOP5", here))
	b.upstream.restock(t, "TOP10,Zephyr Ireland,EUR 10.00,Top-up,Ireland,N/A")
	require.NoError(t, b.Sync(t.Context(), true, catalog.Resources()...))
	_, sold := b.Current().Product("TOP5")
	require.False(t, sold)
	pinned, err := b.Favourites(t.Context(), here)
	require.NoError(t, err)
	require.Equal(t, []string{"TOP5"}, pinned)
	require.NoError(t, b.Unpin(t.Context(), "TOP5", here))
	pinned, err = b.Favourites(t.Context(), here)
	require.NoError(t, err)
	require.Empty(t, pinned)
}
