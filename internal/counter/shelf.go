package counter

import (
	"context"
	"time"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/pricing"
)

// Favourites is the group of a shop's pinned products, before all others.
const Favourites catalog.Kind = "favourite"

// Shelf is what a shop sells of an operator, and whether it does now.
type Shelf struct {
	*Stock

	Snapshot *catalog.Snapshot
	Number   catalog.Number
	Provider *catalog.Provider
	Up       bool  // the provider takes transfers, and selling goes on
	Stopped  *Stop // why nothing is sold
}

// Group is what is sold of one kind, the most sold first; Favourites are in the shop's order.
type Group struct {
	Kind     catalog.Kind
	Products []Product
}

// Product is one on a shop's shelf, at the shop's price.
type Product struct {
	*catalog.Product

	Provider *catalog.Provider
	Name     string
	Price    money.Amount  // the least of a range
	UpTo     *money.Amount // the most; nil for one price
	Receive  *money.Amount // what arrives, after tax; nil: no sum of money
	// ReceiveUpTo is the most that arrives, of a range.
	ReceiveUpTo *money.Amount
	Promotion   Promotion // not shared by the whole shelf; zero: none
}

// Promotion is what a provider promises now, and until when.
type Promotion struct {
	Headline string
	Until    time.Time // zero if it has no end
}

// shop is what a shop sells, how and for how much, as it stands now.
type shop struct {
	on      *catalog.Snapshot
	ask     Ask
	tariff  *pricing.Tariff
	pinned  []string
	popular Popular
	hidden  map[string]bool
}

func (s *Service) shop(ctx context.Context, on *catalog.Snapshot, ask Ask) (sh shop, err error) {
	sh.on, sh.ask = on, ask
	if sh.tariff, err = s.tariff(ctx, ask.Seller); err != nil {
		return sh, err
	}
	if sh.pinned, err = s.d.Catalog.Favourites(ctx, ask.Seller.ShopID); err != nil {
		return sh, err
	}
	if sh.popular, err = s.d.Popular(ctx, ask.Seller.ShopID); err != nil {
		return sh, err
	}
	sh.hidden, err = s.hidden(ctx, ask.Seller.ShopID)
	return sh, err
}

// Shelf is what an Ask for a number and a provider may choose from, narrowed by its Search.
func (s *Service) Shelf(ctx context.Context, ask Ask) (*Shelf, error) {
	on := s.d.Catalog.Current()
	shelf, err := &Shelf{Snapshot: on, Stopped: s.Stopped()}, error(nil)
	if shelf.Number, err = catalog.ParseNumber(ask.Number, ask.Seller.Country); err != nil {
		return nil, err
	}
	var known bool
	if shelf.Provider, known = on.Provider(ask.Provider); !known {
		return nil, errNoOperator
	}
	shelf.Up = shelf.Stopped == nil && on.ProviderUp(ask.Provider)
	region := s.d.Catalog.Region(ctx, on, shelf.Number, ask.Provider)
	shelf.Stock, err = s.stock(ctx, on, ask, region)
	return shelf, err
}

// product prices what is sold here.
func (sh *shop) product(listed *catalog.Product) (p Product, err error) {
	provider, known := sh.on.Provider(listed.Provider)
	if !known {
		return p, errNoOperator
	}
	p = Product{Product: listed, Provider: provider, Name: sh.on.Text(listed, sh.ask.Language).DisplayText}
	p.Receive = arrives(listed, &listed.Minimum)
	if listed.Fixed() {
		p.Price, err = sh.tariff.Retail(listed, provider.Country, listed.Minimum)
		return p, err
	}
	p.ReceiveUpTo, p.UpTo = arrives(listed, &listed.Maximum), new(money.Amount)
	p.Price, *p.UpTo, err = sh.tariff.PayRange(listed, provider.Country)
	return p, err
}

// arrives is what a price delivers after tax, nil if not money.
func arrives(p *catalog.Product, price *catalog.Price) *money.Amount {
	net := price.ReceiveExcludingTax()
	if net.IsZero() {
		net = price.Receive()
	}
	if net.IsZero() || !p.Addressed() {
		return nil
	}
	return &net
}

// Repeatable says whether a shop sells a provider's product by its confirm page alone.
func (s *Service) Repeatable(ctx context.Context, shopID, provider, sku string) (bool, error) {
	_, p, err := s.sold(ctx, s.d.Catalog.Current(), shopID, provider, sku)
	if fault.KindOf(err) == fault.NotFound {
		return false, nil
	}
	return err == nil && !p.LookupBillsRequired, err
}
