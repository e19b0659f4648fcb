// Package reconcile finds out whether the books, the upstream's records, its balance
// and the drawers agree.
package reconcile

import (
	"context"
	"log/slog"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/jobs"
	"airtill/internal/ledger"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// Deps is what the Service needs.
type Deps struct {
	DB     *store.DB
	Client *apiclient.Client
	Sales  *sales.Service
	Ledger *ledger.Ledger
	Audit  *audit.Log
	Now    func() time.Time
	Log    *slog.Logger
}

// Service reconciles.
type Service struct{ d Deps }

// New returns a service.
func New(d Deps) *Service { return &Service{d: d} }

// Jobs do what is due: they compare records page by page and drawers, and wait for a moment without sales for
// the quiet check.
func (s *Service) Jobs() []jobs.Job {
	return []jobs.Job{
		jobs.Periodic{
			Kind: "reconcile.balance", Every: balanceEvery,
			Do: func(ctx context.Context) error { return s.CheckBalance(ctx, "") },
		},
		jobs.Periodic{Kind: "reconcile.records", Every: 10 * time.Minute, Timeout: 3 * time.Minute, Do: s.LookIfDue},
		jobs.Periodic{Kind: "reconcile.quiet", Every: time.Hour, Timeout: 5 * time.Minute, Do: s.QuietCheck},
		jobs.Periodic{
			Kind: "ledger.checkpoint", Every: 11 * time.Minute,
			Do: func(ctx context.Context) error { return s.d.Ledger.Checkpoint(ctx, s.d.Now()) },
		},
	}
}
