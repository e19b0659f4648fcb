// Package report answers questions about what was sold, from sums brought up to date as sales move: by quarter
// of an hour, folded into each shop's days, weeks and months. It reads our own tables only.
//
// Every sum (a rollup) is made from the sales of its shop and time alone, so it can be thrown away and made
// again with the same result; a sale that moves, however late, only marks its rollups stale. The closed
// drawers of a month, which never change, are summed once each.
package report

import (
	"sync"
	"sync/atomic"
	"time"

	"airtill/internal/audit"
	"airtill/internal/jobs"
	"airtill/internal/mail"
	"airtill/internal/pricing"
	"airtill/internal/store"
)

// Deps is what the Service needs.
type Deps struct {
	DB      *store.DB
	Pricing *pricing.Service // for previews
	Audit   *audit.Log
	Mail    *mail.Mailer
	Board   *jobs.Board // nil: progress is not shown
	Now     func() time.Time
}

// Service stores the rollups and reads them. It is safe for concurrent use.
type Service struct {
	d     Deps
	write Writer // of scheduled mail

	popularMu sync.Mutex
	popular   map[string]Popular // of each shop
	folded    atomic.Int64       // when Due last asked for a Refresh because days begin, in nanoseconds
}

// WriteWith sets the Writer of scheduled reports, which knows how reports look on pages. Call it before
// anything is delivered.
func (s *Service) WriteWith(w Writer) { s.write = w }

// CanMail says whether there is a mail server.
func (s *Service) CanMail() bool { return s.d.Mail != nil && s.d.Mail.Configured() }

// New returns a service.
func New(d Deps) *Service { return &Service{d: d} }

// Kinds names the reports, in the order they are offered. Addresses, stored views, mailings and the audit use
// these names.
func Kinds() []string {
	return []string{"sales", "margin", "products", "cashiers", "failures", "commission", "hours", "cash", "limits"}
}

// Jobs bring the rollups up to date and send due reports. The first refresh after an upgrade may sum every
// sale there is; if cut off, it resumes.
func (s *Service) Jobs() []jobs.Job {
	return []jobs.Job{
		jobs.Periodic{
			Kind: "report.refresh", Every: 5 * time.Second, Timeout: 5 * time.Minute, Due: s.Due, Do: s.Refresh,
		},
		jobs.Periodic{Kind: "report.deliver", Every: time.Minute, Timeout: 5 * time.Minute, Do: s.Deliver},
	}
}
