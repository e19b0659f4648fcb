// Package reconcile finds out whether the books, the upstream's records, its balance
// and the drawers agree.
package reconcile

import (
	"log/slog"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
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
