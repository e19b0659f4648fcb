package counter_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/store"
)

// shelves is the world's counter in a shop that sells what is popular.
func (w *world) shelves() *counter.Service {
	return counter.New(counter.Deps{
		Catalog: w.Catalog, Pricing: w.Pricing, Sales: w.Sales, Now: w.now, Log: w.Log,
		Popular: func(context.Context, string) (counter.Popular, error) { return w.popular, nil },
	})
}

// shelf is what is sold of the operator of a product.
func (w *world) shelf(p *catalog.Product) *counter.Shelf {
	w.t.Helper()
	shelf, err := w.shelves().Shelf(w.t.Context(), counter.Ask{Seller: w.seller, Language: "en", Number: number, Provider: p.Provider})
	require.NoError(w.t, err)
	require.NoError(w.t, shelf.Problem)
	return shelf
}

// on are the SKUs of a shelf, in its order.
func on(shelf *counter.Shelf) (skus []string) {
	for _, group := range shelf.Groups {
		for _, p := range group.Products {
			skus = append(skus, p.SKU)
		}
	}
	return skus
}

func TestAShelfPutsFavouritesFirstAndLeavesOutWhatIsHidden(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		before := w.shelf(w.irish())
		all := on(before)
		require.Greater(t, len(all), 2)
		require.NotEqual(t, counter.Favourites, before.Groups[0].Kind)
		last, first := all[len(all)-1], all[0]
		require.NoError(t, w.Catalog.Pin(t.Context(), last, w.seller.ShopID))
		require.NoError(t, w.Catalog.Pin(t.Context(), first, w.seller.ShopID))
		pinned := w.shelf(w.irish())
		require.Equal(t, counter.Favourites, pinned.Groups[0].Kind)
		require.Equal(t, []string{last, first}, on(pinned)[:2], "in the order in which they were pinned")
		require.ElementsMatch(t, all, on(pinned), "each once")

		require.NoError(t, w.Catalog.HideIn(t.Context(), w.Audit, setup, w.seller.ShopID, last, "not here"))
		require.NotContains(t, on(w.shelf(w.irish())), last)
		sells := func(provider, sku string) bool {
			is, err := w.Counter.Repeatable(t.Context(), w.seller.ShopID, provider, sku)
			require.NoError(t, err)
			return is
		}
		require.True(t, sells(w.irish().Provider, first))
		require.False(t, sells(w.irish().Provider, last), "hidden here")
		require.False(t, sells(w.find(func(p *catalog.Product) bool { return p.Provider != w.irish().Provider }).Provider, first))
		require.False(t, sells("NONE", "NONE"))
		biller, _ := w.biller()
		require.False(t, sells(biller.Provider, biller.SKU), "its bill has to be found first")
	})
}

func TestWhatIsMostSoldComesFirstInItsGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	for p := range w.Catalog.Current().AllProducts() {
		group := w.shelf(p).Groups[0].Products
		if len(group) < 2 || !group[1].Fixed() {
			continue
		}
		w.popular.Products = map[string]int64{group[1].SKU: 1}
		require.Equal(t, group[1].SKU, on(w.shelf(p))[0], "the cheapest came first")
		return
	}
	t.Fatal("nobody sells two of a kind")
}

// TestAShelfShowsWhatIsQuoted: a card never promises another price than the sale's.
func TestAShelfShowsWhatIsQuoted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	_, err := w.Pricing.SaveRule(t.Context(), setup, pricing.Rule{Name: "odd", Priority: 1, Way: pricing.Percent, Value: "3.7"})
	require.NoError(t, err)
	for _, of := range []*catalog.Product{w.irish(), w.ranged()} {
		for _, group := range w.shelf(of).Groups {
			for _, p := range group.Products {
				ask := w.ask(p.Product)
				ask.Confirmed, ask.Send = false, ""
				q := w.quote(ask)
				if p.UpTo != nil {
					require.Equal(t, []money.Amount{q.Least, q.Most}, []money.Amount{p.Price, *p.UpTo}, p.SKU)
					continue
				}
				if len(p.Settings) == 0 && !p.LookupBillsRequired {
					require.True(t, q.Ready())
					require.Equal(t, q.Terms.Price, p.Price, p.SKU)
				}
				if p.Receive != nil {
					require.Contains(t, []money.Amount{q.Price.Receive(), q.Price.ReceiveExcludingTax()}, *p.Receive, p.SKU)
				}
			}
		}
	}
}

func TestAShelfIsSearched(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ask := counter.Ask{Seller: w.seller, Number: number, Provider: w.irish().Provider, Search: w.irish().SKU}
	shelf, err := w.Counter.Shelf(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, []string{w.irish().SKU}, on(shelf))
	ask.Search = "no such words"
	shelf, err = w.Counter.Shelf(t.Context(), ask)
	require.NoError(t, err)
	require.Empty(t, shelf.Groups)
	ask.Provider = "NONE"
	_, err = w.Counter.Shelf(t.Context(), ask)
	notFound(t, err)
	ask.Number = "?"
	_, err = w.Counter.Shelf(t.Context(), ask)
	require.Equal(t, "number", fault.FieldOf(err))
}

// TestAShelfKnowsWhenNothingIsSold, just as a quote does.
func TestAShelfKnowsWhenNothingIsSold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	require.True(t, w.shelf(w.irish()).Up)
	down := w.first(func(p *catalog.Product) bool { return !w.Catalog.Current().ProviderUp(p.Provider) })
	require.False(t, w.shelf(down).Up, "this provider says so")
	require.Nil(t, w.shelf(down).Stopped)

	w.fault(`{"match":{"endpoint":"GetProviderStatus"},"action":{"kind":"error","code":"TransientProviderError"},"times":99}`)
	since := w.Catalog.Current().StatusAsOf()
	w.pass(counter.StoppedAfter + time.Minute)
	require.False(t, w.shelf(w.irish()).Up, "nobody says anything any more")
	require.Equal(t, &counter.Stop{Since: since}, w.shelf(w.irish()).Stopped)
	w.Sales.Halt()
	require.Equal(t, &counter.Stop{Restored: true}, w.shelf(w.irish()).Stopped)
}

func TestWhatHasNoPriceIsAProblemOfTheShelf(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ask := counter.Ask{Seller: w.seller, Number: number, Provider: w.irish().Provider}
	ask.Seller.Currency = "NGN" // to which there is no rate
	shelf, err := w.Counter.Shelf(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, fault.Conflict, fault.KindOf(shelf.Problem))
	require.Empty(t, shelf.Groups)
	vouchers, err := w.Counter.Vouchers(t.Context(), ask)
	require.NoError(t, err)
	require.Empty(t, vouchers)
}

func TestVouchersOfTheCounter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	ask := counter.Ask{Seller: w.seller, Language: "en"}
	skus := func(of []counter.Product) (skus []string) {
		for _, p := range of {
			require.False(t, p.Addressed())
			skus = append(skus, p.SKU)
		}
		return skus
	}
	all := func() []string {
		found, err := w.shelves().Vouchers(t.Context(), ask)
		require.NoError(t, err)
		seen := map[string]bool{}
		for _, of := range found {
			require.False(t, seen[of[0].Provider.Code], "an operator's are together")
			seen[of[0].Provider.Code] = true
			for i, p := range of {
				require.Equal(t, of[0].Provider, p.Provider)
				require.True(t, i == 0 || p.Price.Micros() >= of[i-1].Price.Micros(), "the cheapest first")
			}
		}
		return skus(slices.Concat(found...))
	}
	quick := func() []string {
		found, more, err := w.shelves().QuickVouchers(t.Context(), ask)
		require.NoError(t, err)
		require.Equal(t, len(all()) > 0, more)
		return skus(found)
	}
	vouchers := all()
	require.GreaterOrEqual(t, len(vouchers), 4, "of the shop's country")
	require.Empty(t, quick(), "nothing was pinned or sold")
	w.popular.Products = map[string]int64{}
	for i, sku := range vouchers[:4] {
		w.popular.Products[sku] = int64(i + 1)
	}
	require.Equal(t, []string{vouchers[3], vouchers[2], vouchers[1]}, quick(), "the most sold, and no more than three")
	abroad := w.find(func(p *catalog.Product) bool { return !p.Addressed() && !slices.Contains(vouchers, p.SKU) })
	require.NoError(t, w.Catalog.Pin(t.Context(), abroad.SKU, w.seller.ShopID))
	require.NoError(t, w.Catalog.Pin(t.Context(), vouchers[0], w.seller.ShopID))
	require.Equal(t, []string{abroad.SKU, vouchers[0], vouchers[3]}, quick(), "favourites before, wherever they are of")
	require.NoError(t, w.Catalog.HideIn(t.Context(), w.Audit, setup, w.seller.ShopID, vouchers[3], "none left"))
	require.NoError(t, w.Catalog.HideIn(t.Context(), w.Audit, setup, w.seller.ShopID, abroad.SKU, "none left"))
	require.Equal(t, []string{vouchers[0], vouchers[2], vouchers[1]}, quick())
	require.NotContains(t, all(), vouchers[3])
}

// TestAStockIsRememberedUntilSomethingChangesIt: a setting, what is popular, a promotion that begins or ends, the day
// or the catalogue.
func TestAStockIsRememberedUntilSomethingChangesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	shop := w.shelves()
	epoch := int64(1)
	ask := counter.Ask{Seller: w.seller, Language: "en", Number: number, Provider: w.irish().Provider}
	last := (*counter.Stock)(nil)
	changed := func() bool {
		shelf, err := shop.Shelf(store.WithEpochs(t.Context(), store.Epochs{Settings: epoch}), ask)
		require.NoError(t, err)
		before := last
		last = shelf.Stock
		return last != before
	}
	require.True(t, changed())
	require.False(t, changed())
	draws := 0
	for range 2 {
		drawn, err := last.Once("as", func() (any, error) { draws++; return draws, nil })
		require.NoError(t, err)
		require.Equal(t, 1, drawn, "drawn once")
	}
	epoch++
	require.True(t, changed(), "a setting")
	require.False(t, changed())
	w.popular.AsOf = w.now()
	require.True(t, changed(), "what is popular")
	require.False(t, changed())
	until := w.Catalog.Current().PromotionsUntil(ask.Provider, w.now())
	year, month, day := w.now().In(w.seller.Zone).Date()
	if midnight := time.Date(year, month, day+1, 0, 0, 0, 0, w.seller.Zone); until.IsZero() || until.After(midnight) {
		until = midnight
	}
	w.pass(until.Sub(w.now()) - time.Minute)
	changed() // the catalogue may have been confirmed meanwhile
	require.False(t, changed())
	w.pass(2 * time.Minute)
	require.True(t, changed(), "the clock")
	require.False(t, changed())
	require.NoError(t, w.Catalog.Hide(t.Context(), w.Audit, setup, last.Groups[0].Products[0].SKU, "withdrawn"))
	require.NoError(t, w.Catalog.Refresh(t.Context()))
	require.True(t, changed(), "the catalogue")
	ask.Search = last.Groups[0].Products[0].SKU
	require.True(t, changed())
	require.True(t, changed(), "a search is not remembered")
}

// TestAShelfLeavesOutOtherRegions: what is sold in a part of a country only is refused for numbers of another.
func TestAShelfLeavesOutOtherRegions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		var local *catalog.Product
		for p := range w.Catalog.Current().AllProducts() {
			if provider, known := w.Catalog.Current().Provider(p.Provider); known && p.Region != "" && p.Region != provider.Country {
				local = p
				break
			}
		}
		require.NotNil(t, local)
		require.Contains(t, on(w.shelf(local)), local.SKU, "where the region is not known nothing is left out")
		require.NoError(t, w.Catalog.Remember(t.Context(), number, local.Provider, catalog.SourceLookup))
		of := func(region string) []string {
			require.NoError(t, w.DB.Exec(t.Context(), "UPDATE number_operators SET region = ?", region))
			return on(w.shelf(local))
		}
		require.Contains(t, of(local.Region), local.SKU)
		require.NotContains(t, of("elsewhere"), local.SKU)
		require.Contains(t, of(local.Region), local.SKU, "each region has a shelf of its own")
	})
}
