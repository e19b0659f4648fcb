// Package followup finds out what became of each sale that is open: it sends or voids
// what was not sent, looks up what is not known, and has people decide what nobody else
// tells.
package followup

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/jobs"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// Deps is what the Service needs.
type Deps struct {
	DB        *store.DB
	Client    *apiclient.Client
	Sales     *sales.Service
	Audit     *audit.Log
	Processes *jobs.Processes
	Now       func() time.Time
	Log       *slog.Logger
	// Seen hears of the refs on each page of the upstream's list that is read;
	// nil is allowed.
	Seen func(ctx context.Context, refs []string)
	// Float asks for the balance where somebody waits for it.
	Float func(context.Context) error
}

// Service follows up.
type Service struct {
	d       Deps
	silence silence
	cut     atomic.Pointer[pages] // the last run of pages, if the limit cut it

	mu           sync.Mutex
	pagesUseless map[string]time.Time // by ref: until when pages are not read for a sale
	controlIs    bool                 // whether the list had what it must have
	controlUntil time.Time            // how long that holds
}

// New returns a service.
func New(d Deps) *Service { return &Service{d: d} }

func wrapped(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
