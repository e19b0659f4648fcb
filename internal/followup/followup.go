// Package followup finds out what became of each open sale: it sends or voids what was not sent, looks up what
// is unknown, and has people decide the rest.
package followup

import (
	"context"
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
	// Seen is called with the refs on each page read of the upstream's list; it may be nil.
	Seen func(ctx context.Context, refs []string)
	// Float asks for the balance where somebody waits for it.
	Float func(context.Context) error
	// FloatWaits says whether somebody does.
	FloatWaits func(context.Context) (bool, error)
}

// Service follows up.
type Service struct {
	d       Deps
	silence silence
	cut     atomic.Pointer[pages] // the last run of pages, if cut by the limit

	mu           sync.Mutex
	pagesUseless map[string]time.Time // by ref: until when no pages are read for a sale
	controlIs    bool                 // the list had what it must have
	controlUntil time.Time            // until when that holds
}

// New returns a service.
func New(d Deps) *Service { return &Service{d: d} }

// SweepJob is the kind of the job that finds out what became of open sales.
const SweepJob = "followup.sweep"

// Jobs sweep: up to a hundred look-ups of a second or so each. Every process asks for a sweep with each beat that
// finds something due; the schedule is for when none can.
func (s *Service) Jobs() []jobs.Job {
	return []jobs.Job{jobs.Periodic{
		Kind: SweepJob, Every: 10 * time.Second, Timeout: 3 * time.Minute, Due: s.Due, Do: s.Sweep,
	}}
}
