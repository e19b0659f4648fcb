// Package report answers questions about what was sold, from sums that are kept
// up to date as sales move: by the quarter of an hour, folded into each shop's
// days, weeks and months. It reads our own tables and never asks the upstream.
//
// Every sum (a rollup) is made from the sales of its shop and time alone, so it
// can be thrown away and made again with the same result; a sale that moves,
// however late, only marks the rollups it is part of as stale. The closed drawers
// of a month are summed likewise, each once: they never change.
package report

import (
	"log/slog"
	"sync"
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
	Board   *jobs.Board // nil: long sums are not shown
	Now     func() time.Time
	Log     *slog.Logger
}

// Service keeps the rollups and reads them. Its methods may be called
// concurrently.
type Service struct {
	d     Deps
	write Writer // of scheduled mail

	popularMu sync.Mutex
	popular   map[string]Popular // of each shop
}

// WriteWith names who writes the messages of scheduled reports: the pages know
// how reports look. It is called before anything is delivered.
func (s *Service) WriteWith(w Writer) { s.write = w }

// CanMail says whether there is a mail server.
func (s *Service) CanMail() bool { return s.d.Mail != nil && s.d.Mail.Configured() }

// New returns a service.
func New(d Deps) *Service { return &Service{d: d} }

// Kinds names the reports, in the order in which they are offered. A name stands in
// addresses, stored views, mailings and the audit.
func Kinds() []string {
	return []string{"sales", "margin", "products", "cashiers", "failures", "commission", "hours", "cash", "limits"}
}
