// Package reconcile finds out what became of open sales, and whether the books
// and the upstream agree.
package reconcile

import (
	"log/slog"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/ledger"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// Deps is what the Service needs.
type Deps struct {
	DB      *store.DB
	Client  *apiclient.Client
	Sales   *sales.Service
	Ledger  *ledger.Ledger
	Process string // this process's id in the table processes
	Now     func() time.Time
	Log     *slog.Logger
}

// Service reconciles.
type Service struct{ Deps }

// New returns a service.
func New(d Deps) *Service { return &Service{d} }
