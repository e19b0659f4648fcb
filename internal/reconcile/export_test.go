package reconcile

import (
	"context"

	"airtill/internal/store"
)

// Uses is what the service stands on, for a test to look at or to change.
func (s *Service) Uses() *Deps { return &s.d }

// BookTopUp books a payment as it was read.
func (s *Service) BookTopUp(ctx context.Context, p Paid) error {
	return s.d.DB.Tx(ctx, func(tx *store.Tx) error { return s.bookTopUp(ctx, tx, p) })
}
