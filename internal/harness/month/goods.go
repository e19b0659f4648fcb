package month

import (
	"context"
	"fmt"

	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/money"
	"airtill/internal/pricing"
)

// goods are what the shops sell: some top-ups of one operator, and one that is
// worked in batches.
type goods struct {
	instant []*catalog.Product
	batch   *catalog.Product
}

const (
	batchSKU     = "CU_IS_TopUp"
	someNumber   = "353871234567"
	instantMost  = 6
	mostExpected = 40 * money.Scale // price; nothing here needs a manager
	markUp       = "0.30"           // on what is sent
)

// readGoods fills the shelves and prices them.
func (w *world) readGoods(ctx context.Context) (g goods, err error) {
	if err := w.Catalog.SyncDue(ctx); err != nil {
		return g, err
	}
	if err := w.Catalog.Refresh(ctx); err != nil {
		return g, err
	}
	rule := pricing.Rule{Name: "mark-up", Priority: 1, Way: pricing.Fixed, Value: markUp}
	if _, err := w.Pricing.SaveRule(ctx, audit.Command("month"), rule); err != nil {
		return g, err
	}
	number, err := catalog.ParseNumber(someNumber, "IE")
	if err != nil {
		return g, err
	}
	found, err := w.Catalog.Lookup(ctx, number)
	if err != nil || len(found.Candidates) == 0 {
		return g, fmt.Errorf("nobody has %s: %w", someNumber, err)
	}
	for _, p := range w.Catalog.Current().ProductsOf(found.Candidates[0].Provider.Code) {
		fitting := p.Fixed() && p.Instant() && p.Redemption == "Immediate" && len(p.Settings) == 0 && !p.LookupBillsRequired
		if fitting && len(g.instant) < instantMost && p.Minimum.SendMicros < mostExpected {
			g.instant = append(g.instant, p)
		}
	}
	batch, sold := w.Catalog.Current().Product(batchSKU)
	if len(g.instant) == 0 || !sold {
		return g, fmt.Errorf("the simulator sells %d fitting top-ups, and %s: %t", len(g.instant), batchSKU, sold)
	}
	g.batch = batch
	return g, nil
}

// offer is what a cashier confirms of a product, for the least that it is sold at.
func (s *shop) offer(ctx context.Context, p *catalog.Product, number string) (counter.Offer, error) {
	quote, err := s.m.Counter.Quote(ctx, counter.Ask{
		Seller: counter.Seller{
			CashierID: s.actor().UserID, ShopID: s.ID, Country: s.Country, Zone: s.Location(), TillID: s.till.ID, ShiftID: s.shift.ID, Language: "en", Currency: s.Currency,
		},
		Number: number, Provider: p.Provider, SKU: p.SKU, Send: p.Minimum.Send().Decimal(0), Confirmed: true,
	})
	if err != nil {
		return counter.Offer{}, err
	}
	return quote.Offer(counter.Confirmation{Key: "month-0123456789-" + number, Shown: quote.Terms.Price})
}

// quote is what the script expects of a sale, worked out from the catalogue
// alone.
type quote struct {
	cost       int64 // SendValue and distributor fee
	commission int64
}

func quoteOf(p *catalog.Product) (quote, error) {
	rate, err := money.Rate(p.CommissionRate)
	if err != nil {
		return quote{}, err
	}
	send := p.Minimum.Send()
	commission, err := send.Times(rate, send.Currency().Decimals())
	return quote{cost: send.Micros() + p.Minimum.DistributorFeeMicros, commission: commission.Micros()}, err
}
