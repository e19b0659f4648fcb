package counter

import (
	"cmp"
	"context"
	"slices"

	"airtill/internal/catalog"
)

// quickVouchers is how many are on the counter itself.
const quickVouchers = 3

// Vouchers are what a shop sells without a number: its country's, grouped by operator, the cheapest first.
func (s *Service) Vouchers(ctx context.Context, ask Ask) (byOperator [][]Product, err error) {
	sh, err := s.shop(ctx, s.d.Catalog.Current(), ask)
	if err != nil {
		return nil, err
	}
	vouchers := sh.vouchers()
	for _, p := range sh.priced(vouchers, len(vouchers)) {
		last := len(byOperator) - 1
		if last < 0 || byOperator[last][0].Provider != p.Provider {
			byOperator = append(byOperator, []Product{p})
			continue
		}
		byOperator[last] = append(byOperator[last], p)
	}
	for _, sold := range byOperator {
		slices.SortStableFunc(sold, func(a, b Product) int { return cmp.Compare(a.Price.Micros(), b.Price.Micros()) })
	}
	return byOperator, nil
}

// QuickVouchers are the few the counter shows at once, favourites first, then the most sold, and whether there
// are any Vouchers.
func (s *Service) QuickVouchers(ctx context.Context, ask Ask) (quick []Product, more bool, err error) {
	sh, err := s.shop(ctx, s.d.Catalog.Current(), ask)
	if err != nil {
		return nil, false, err
	}
	vouchers := sh.vouchers()
	more = len(vouchers) > 0
	var wanted []*catalog.Product
	for _, sku := range sh.pinned {
		if p, sold := sh.on.Product(sku); sold && !p.Addressed() && !sh.hidden[sku] {
			wanted = append(wanted, p)
		}
	}
	sold := slices.DeleteFunc(vouchers, func(p *catalog.Product) bool {
		return sh.popular.Products[p.SKU] == 0 || slices.Contains(sh.pinned, p.SKU)
	})
	slices.SortStableFunc(sold, func(a, b *catalog.Product) int {
		return cmp.Compare(sh.popular.Products[b.SKU], sh.popular.Products[a.SKU])
	})
	return sh.priced(append(wanted, sold...), quickVouchers), more, nil
}

func (sh *shop) vouchers() (found []*catalog.Product) {
	for _, provider := range sh.on.ProvidersIn(sh.ask.Seller.Country) {
		for _, p := range sh.on.ProductsOf(provider.Code) {
			if !p.Addressed() && !sh.hidden[p.SKU] {
				found = append(found, p)
			}
		}
	}
	return found
}

// priced are the first of some products that have a price.
func (sh *shop) priced(of []*catalog.Product, most int) (priced []Product) {
	for _, p := range of {
		if here, err := sh.product(p); err == nil && len(priced) < most {
			priced = append(priced, here)
		}
	}
	return priced
}
