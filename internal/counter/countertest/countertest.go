// Package countertest quotes for tests of what becomes of a sale: their offers are of the
// simulator's catalogue, which all tests of a program share.
package countertest

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/counter"
	"airtill/internal/harness/storetest"
	"airtill/internal/pricing"
	"airtill/internal/sandbox"
	"airtill/internal/store"
)

// Products is how many the shared catalogue has; a simulator that shall sell what is
// offered has as many, and seed 1.
const Products = 600

// shelves are synchronised once, and last as long as the program.
var shelves = sync.OnceValues(func() (*catalog.Service, error) {
	ctx := context.Background() // of no test
	simulator, err := sandbox.New(sandbox.Deps{Data: ":memory:", Seed: 1, Products: Products, Now: time.Now})
	if err != nil {
		return nil, err
	}
	upstream := httptest.NewServer(simulator.Handler())
	address, _, err := storetest.Make(store.SQLite) // stays until the machine forgets its temporary files
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, address)
	if err != nil {
		return nil, err
	}
	client, err := apiclient.New(apiclient.Deps{BaseURL: upstream.URL, APIKey: "sandbox-key", Now: time.Now})
	if err != nil {
		return nil, err
	}
	service, err := catalog.New(catalog.Deps{DB: db, Upstream: client, NumberKey: make([]byte, 32), Now: time.Now})
	if err != nil {
		return nil, err
	}
	if err := service.SyncDue(ctx); err != nil {
		return nil, err
	}
	return service, service.Refresh(ctx)
})

// Shelves is the shared catalogue.
func Shelves(t testing.TB) *catalog.Service {
	t.Helper()
	service, err := shelves()
	require.NoError(t, err)
	return service
}

// New returns a counter that sells what the shared catalogue has, at a test's own prices.
func New(t testing.TB, prices *pricing.Service, sold counter.Sales) *counter.Service {
	t.Helper()
	return counter.New(counter.Deps{
		Catalog: Shelves(t), Pricing: prices, Sales: sold, Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
}

// Product is one of the shared catalogue.
func Product(t testing.TB, sku string) *catalog.Product {
	t.Helper()
	p, sold := Shelves(t).Current().Product(sku)
	require.True(t, sold, sku)
	return p
}

// Irish is the cheapest top-up of one price, of the operator that has 353871234567.
func Irish(t testing.TB) *catalog.Product {
	t.Helper()
	number, err := catalog.ParseNumber("353871234567", "IE")
	require.NoError(t, err)
	operator := Shelves(t).Current().Guess(number).Candidates[0].Provider.Code
	return cheapest(t, func(p *catalog.Product) bool { return p.Provider == operator && p.Fixed() })
}

// Range is a top-up of any amount, without the upstream's fee.
func Range(t testing.TB) *catalog.Product {
	t.Helper()
	return cheapest(t, func(p *catalog.Product) bool {
		return !p.Fixed() && p.Minimum.DistributorFeeMicros+p.Maximum.DistributorFeeMicros == 0
	})
}

func cheapest(t testing.TB, want func(*catalog.Product) bool) *catalog.Product {
	t.Helper()
	on := Shelves(t).Current()
	var found *catalog.Product
	for p := range on.AllProducts() {
		plain := p.Instant() && p.Redemption == "Immediate" && len(p.Settings) == 0 &&
			!p.LookupBillsRequired && on.ProviderUp(p.Provider)
		if plain && want(p) && (found == nil || p.Minimum.SendMicros < found.Minimum.SendMicros) {
			found = p
		}
	}
	require.NotNil(t, found, "the simulator sells no such top-up")
	return found
}

// Ask is for the least that a product is sold at.
func Ask(seller counter.Seller, p *catalog.Product, number string) counter.Ask {
	return counter.Ask{
		Seller: seller, Number: number, Provider: p.Provider, SKU: p.SKU, Send: p.Minimum.Send().Decimal(0),
		Confirmed: true,
	}
}

// Offer is what a cashier confirms of what is asked for, at the price of now.
func Offer(t testing.TB, at *counter.Service, ask counter.Ask, said counter.Confirmation) counter.Offer {
	t.Helper()
	quote, err := at.Quote(t.Context(), ask)
	require.NoError(t, err)
	said.Shown = quote.Terms.Price
	offer, err := quote.Offer(said)
	require.NoError(t, err)
	return offer
}
