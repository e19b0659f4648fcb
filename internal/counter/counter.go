// Package counter decides what may be sold at a counter: from what was typed to a number, its operator, a
// product, a Quote and an Offer. A Quote is what the confirm page shows, to the cent; only a ready one makes
// an Offer, and sales.Sell takes nothing else. So what is hidden, withdrawn, stopped or not fully answered is
// not sold, whoever asks.
package counter

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/pricing"
)

// Sales is what a quote must know of earlier sales.
type Sales interface {
	// Halted says that the database was restored, and nothing is sold until somebody has looked at it.
	Halted() bool
	// LastSettings returns a number's answers when it last bought a product.
	LastSettings(ctx context.Context, shopID, account, sku string) ([]Setting, error)
	// Check says what would stop the sale of an offer now, nil for nothing, and whether its provider could not
	// be asked about the number in time.
	Check(ctx context.Context, offer Offer) (unchecked bool, stop error)
}

// Popular is how often a shop sold what, by SKU and by country.
type Popular struct {
	Products, Countries map[string]int64
	AsOf                time.Time // equal: the same
}

// Deps is what a Service needs.
type Deps struct {
	Catalog *catalog.Service
	Pricing *pricing.Service
	Sales   Sales
	Popular func(ctx context.Context, shopID string) (Popular, error)
	Log     *slog.Logger
	Now     func() time.Time
}

// Service quotes.
type Service struct {
	d      Deps
	stocks atomic.Pointer[stocks]
}

// New returns a service.
func New(d Deps) *Service { return &Service{d: d} }

// StoppedAfter is how long the upstream, asked every minute, may say nothing of its providers before selling
// stops.
const StoppedAfter = 10 * time.Minute

// Stop says why nothing is sold now.
type Stop struct {
	Restored bool      // the database was restored
	Since    time.Time // otherwise: when the upstream last said which providers take transfers
}

// Stopped says why nothing can be sold now, nil if selling goes on, or if there is no catalogue, so nothing to
// sell. Just after the start, nobody has been asked yet.
func (s *Service) Stopped() *Stop {
	if s.d.Sales.Halted() {
		return &Stop{Restored: true}
	}
	snapshot := s.d.Catalog.Current()
	if since := snapshot.StatusAsOf(); !snapshot.Empty() && !since.IsZero() && s.d.Now().Sub(since) > StoppedAfter {
		return &Stop{Since: since}
	}
	return nil
}

// hidden are the SKUs that a shop does not sell, though others do.
func (s *Service) hidden(ctx context.Context, shopID string) (map[string]bool, error) {
	hidden, err := s.d.Catalog.HiddenIn(ctx, shopID)
	skus := map[string]bool{}
	for _, h := range hidden {
		skus[h.SKU] = true
	}
	return skus, err
}

var (
	errNoOperator = fault.New(fault.NotFound, "provider.gone")
	errNoProduct  = fault.New(fault.NotFound, "product.gone")
	errWithdrawn  = fault.New(fault.NotFound, "product.gone-unsold")
)

// sold finds a provider's product that a shop sells.
func (s *Service) sold(
	ctx context.Context, on *catalog.Snapshot, shopID, provider, sku string,
) (*catalog.Provider, *catalog.Product, error) {
	from, known := on.Provider(provider)
	if !known {
		return nil, nil, errNoOperator
	}
	hidden, err := s.hidden(ctx, shopID)
	if err != nil {
		return nil, nil, err
	}
	p, there := on.Product(sku)
	if !there || p.Provider != from.Code || hidden[sku] {
		return nil, nil, errNoProduct
	}
	return from, p, nil
}
