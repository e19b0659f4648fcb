// Package pricing says what a customer pays at the counter for what a product costs upstream: by the rules
// managers make, in the till's currency, never below cost unless two people said so.
package pricing

import (
	"context"
	"fmt"
	"time"

	"airtill/internal/audit"
	"airtill/internal/money"
	"airtill/internal/store"
)

// Deps is what the Service needs.
type Deps struct {
	DB    *store.DB
	Audit *audit.Log
	Now   func() time.Time
}

// Service stores price rules and exchange rates. It is safe for concurrent use.
type Service struct {
	d     Deps
	rules store.Memory[struct{}, []Rule]
	rates store.Memory[struct{}, []Rate]
}

// New returns a service.
func New(d Deps) *Service { return &Service{d: d} }

// Tariff returns what a shop charges at a time: the current rules and rates, read once for any number of
// prices. A rule's days are those of the shop's zone.
func (s *Service) Tariff(
	ctx context.Context, shopID string, till money.Currency, zone *time.Location, at time.Time,
) (*Tariff, error) {
	t := &Tariff{ShopID: shopID, Currency: till, At: at, day: dayOf(at, zone), zone: zone}
	var err error
	if t.rules, err = s.Rules(ctx); err != nil {
		return nil, err
	}
	if t.rates, err = s.Rates(ctx); err != nil {
		return nil, fmt.Errorf("tariff: %w", err)
	}
	return t, nil
}
