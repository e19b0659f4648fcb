// Package health is how the till is: whether requests may be sent to it, what the health page shows, and what
// people must be told of without asking.
package health

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/forecast"
	"airtill/internal/invariant"
	"airtill/internal/jobs"
	"airtill/internal/limit"
	"airtill/internal/reconcile"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// Deps is what is looked at.
type Deps struct {
	DB         *store.DB
	Staff      *staff.Service
	Catalog    *catalog.Service
	Limits     *limit.Service
	Sales      *sales.Service
	Reconcile  *reconcile.Service
	Forecast   *forecast.Service
	Invariants *invariant.Service
	Budgets    func(context.Context) (map[string]apiclient.Usage, error)
	GivenUp    func(context.Context) ([]jobs.GivenUp, error)
	Processes  *jobs.Processes
	Redis      func(context.Context) error // whether it does what it is for; nil where it is not used
	Writes     func(context.Context) error // whether the database accepts writes; nil: unknown
	Sells      func(context.Context) error // whether this process can sell and is not about to end; nil: always
	Metrics    prometheus.Gatherer
	Log        *slog.Logger
	Now        func() time.Time
}

// Service looks at all of that.
type Service struct {
	d        Deps
	migrated atomic.Bool // and then stays so: only a newer program changes the schema
}

// New returns a service.
func New(d Deps) *Service { return &Service{d: d} }

// With returns a service with other Deps.
func (s *Service) With(change func(*Deps)) *Service {
	d := s.d
	change(&d)
	return New(d)
}

// Ready returns why no requests may be sent to this process (fault.Unavailable); nil if they may.
func (s *Service) Ready(ctx context.Context) error {
	for _, part := range []struct {
		name  string
		check func(context.Context) error
	}{
		{"database", s.d.DB.Ping},
		{"database takes no writes", s.d.Writes},
		{"schema", s.schema},
		{"till", s.d.Sells},
	} {
		if err := maybe(ctx, part.check); err != nil {
			return &fault.Error{Kind: fault.Unavailable, Message: "not ready: " + part.name, Err: err}
		}
	}
	return nil
}

// ErrRefused is in the error of something that answers and refuses what the till asks of it.
var ErrRefused = errors.New("refuses what the till asks of it")

// Redis returns why Redis does not do what the till needs; nil if it does, or is not used. It does not count for Ready:
// selling goes on without it, and all processes share it, so nobody would sell.
func (s *Service) Redis(ctx context.Context) error { return maybe(ctx, s.d.Redis) }

// maybe is a check, if there is one.
func maybe(ctx context.Context, check func(context.Context) error) error {
	if check == nil {
		return nil
	}
	return check(ctx)
}

func (s *Service) schema(ctx context.Context) error {
	if s.migrated.Load() {
		return nil
	}
	pending, err := s.d.DB.Pending(ctx)
	if err != nil {
		return err
	}
	if pending {
		return errors.New("the schema is older than this program: run web migrate")
	}
	s.migrated.Store(true)
	return nil
}
