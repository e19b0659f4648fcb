package counter

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"airtill/internal/catalog"
	"airtill/internal/store"
)

// Stock is what a shop sells of an operator and for how much. Requests share it: nobody may alter it.
type Stock struct {
	Groups     []Group     // none is empty
	Promotions []Promotion // running now, each once
	Problem    error       // why something has no price; nil: all have one

	until time.Time // its prices and promotions are the same until then
	as    time.Time // of what it is ordered by
	drawn sync.Map  // see Once
}

// Once returns what was made of the stock before under a key, or makes it.
func (stock *Stock) Once(key any, draw func() (any, error)) (any, error) {
	if known, ok := stock.drawn.Load(key); ok {
		return known, nil
	}
	made, err := draw()
	if err == nil {
		stock.drawn.Store(key, made)
	}
	return made, err
}

// mostStocks bounds what is remembered: with what is drawn of it, a stock takes some 50 KB.
const mostStocks = 200

// stocks are those of one catalogue, which they hold on to.
type stocks struct {
	of *catalog.Snapshot
	store.Memory[stockKey, *Stock]
}

type stockKey struct{ shop, provider, region, language string }

// stocksOf are the remembered stocks of a catalogue; those of the one before are forgotten.
func (s *Service) stocksOf(on *catalog.Snapshot) *stocks {
	held := s.stocks.Load()
	if held == nil || !held.of.SameGoods(on) {
		held = &stocks{of: on, Memory: store.Memory[stockKey, *Stock]{Most: mostStocks}}
		s.stocks.Store(held)
	}
	return held
}

// stock is what an Ask may choose from. What is not searched for is remembered as long as neither a setting, the
// catalogue, the clock nor what is popular changes it.
func (s *Service) stock(ctx context.Context, on *catalog.Snapshot, ask Ask, region string) (*Stock, error) {
	if ask.Search != "" {
		return s.newStock(ctx, on, ask, region)
	}
	popular, err := s.d.Popular(ctx, ask.Seller.ShopID)
	if err != nil {
		return nil, err
	}
	key := stockKey{ask.Seller.ShopID, ask.Provider, region, ask.Language}
	return s.stocksOf(on).GetIf(ctx, key, func(known *Stock) bool {
		return known.as.Equal(popular.AsOf) && s.d.Now().Before(known.until)
	}, func(ctx context.Context) (*Stock, error) { return s.newStock(ctx, on, ask, region) })
}

func (s *Service) newStock(ctx context.Context, on *catalog.Snapshot, ask Ask, region string) (*Stock, error) {
	sh, err := s.shop(ctx, on, ask)
	if err != nil {
		return nil, err
	}
	stock := &Stock{until: sh.tariff.Until(), as: sh.popular.AsOf}
	if change := on.PromotionsUntil(ask.Provider, sh.tariff.At); !change.IsZero() && change.Before(stock.until) {
		stock.until = change
	}
	stock.fill(&sh, on.Offers(catalog.OfferQuery{
		Provider: ask.Provider, Region: region, Language: ask.Language, Search: ask.Search, At: sh.tariff.At,
		Sold: func(sku string) int { return int(sh.popular.Products[sku]) },
	}))
	stock.SayOnce()
	return stock, nil
}

// fill moves the favourites out of their groups, and leaves out what is hidden or has no price.
func (stock *Stock) fill(sh *shop, groups []catalog.Group) {
	first := Group{Kind: Favourites}
	for _, found := range groups {
		group := Group{Kind: found.Kind}
		for _, o := range found.Offers {
			if sh.hidden[o.Product.SKU] {
				continue
			}
			p, err := sh.product(o.Product)
			if err != nil {
				stock.Problem = err
				continue
			}
			if len(o.Promotions) > 0 {
				if text, ok := sh.on.PromotionText(o.Promotions[0], sh.ask.Language); ok {
					p.Promotion = Promotion{Headline: text.Headline}
					if !o.Promotions[0].Endless() {
						p.Promotion.Until = o.Promotions[0].EndsAt
					}
				}
			}
			to := &group
			if slices.Contains(sh.pinned, p.SKU) {
				to = &first
			}
			to.Products = append(to.Products, p)
		}
		stock.Groups = append(stock.Groups, group)
	}
	slices.SortStableFunc(first.Products, func(a, b Product) int {
		return slices.Index(sh.pinned, a.SKU) - slices.Index(sh.pinned, b.SKU)
	})
	stock.Groups = slices.DeleteFunc(append([]Group{first}, stock.Groups...), func(g Group) bool {
		return len(g.Products) == 0
	})
}

// SayOnce removes from products the promotions that all of them take part in.
func (stock *Stock) SayOnce() {
	products, taking := 0, map[Promotion]int{}
	for p := range stock.products() {
		products++
		if p.Promotion != (Promotion{}) && taking[p.Promotion] == 0 {
			stock.Promotions = append(stock.Promotions, p.Promotion)
		}
		taking[p.Promotion]++
	}
	for p := range stock.products() {
		if taking[p.Promotion] == products {
			p.Promotion = Promotion{}
		}
	}
}

func (stock *Stock) products() iter.Seq[*Product] {
	return func(yield func(*Product) bool) {
		for _, group := range stock.Groups {
			for i := range group.Products {
				if !yield(&group.Products[i]) {
					return
				}
			}
		}
	}
}
