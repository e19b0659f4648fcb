// Package reconcile finds out what became of open sales, and whether the books
// and the upstream agree.
package reconcile

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
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
	Audit   *audit.Log
	Process string // this process's id in the table processes
	Now     func() time.Time
	Log     *slog.Logger
	// Seen hears of the refs on each page of the upstream's list that is read;
	// nil is allowed.
	Seen func(ctx context.Context, refs []string)
}

// Service reconciles.
type Service struct {
	Deps
	silence silence
	resume  atomic.Int32 // the page that a read of the list goes on with, where the limit cut the last
}

// New returns a service.
func New(d Deps) *Service { return &Service{Deps: d} }
