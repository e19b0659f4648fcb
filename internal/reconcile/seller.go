package reconcile

import (
	"context"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

var errDeclared = fault.New(fault.Conflict, "foreign.done")

// RefuseSeller ends a declaration that nobody has approved.
func (s *Service) RefuseSeller(ctx context.Context, prefix string, by audit.Actor) error {
	return fault.Doing("refuse seller", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		gone := tx.Exec("DELETE FROM foreign_sellers WHERE prefix = ? AND approved_at IS NULL", prefix)
		if gone.Error == nil && gone.RowsAffected == 0 {
			return errDeclared
		}
		return s.d.Audit.WriteIf(ctx, tx, gone, audit.Entry{
			Actor: by, Act: audit.SellerRefused, Subject: audit.Of(audit.Seller, prefix),
		})
	}))
}
