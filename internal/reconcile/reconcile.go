// Package reconcile finds out what became of open sales, and whether the books
// and the upstream agree.
package reconcile

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
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
	DB        *store.DB
	Client    *apiclient.Client
	Sales     *sales.Service
	Ledger    *ledger.Ledger
	Audit     *audit.Log
	Processes *jobs.Processes
	Now       func() time.Time
	Log       *slog.Logger
	// Seen hears of the refs on each page of the upstream's list that is read;
	// nil is allowed.
	Seen func(ctx context.Context, refs []string)
}

// Service reconciles.
type Service struct {
	Deps
	silence silence
	cut     atomic.Pointer[pages] // the last run of pages, if the limit cut it

	mu           sync.Mutex
	pagesUseless map[string]time.Time // by ref: until when pages are not read for a sale
	controlIs    bool                 // whether the list had what it must have
	controlUntil time.Time            // how long that holds
}

// New returns a service.
func New(d Deps) *Service { return &Service{Deps: d} }
