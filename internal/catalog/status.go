package catalog

import (
	"context"
	"errors"
	"slices"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// SyncStatuses fetches provider statuses if due. A change reaches every process within seconds, and nothing
// else is reloaded.
func (s *Service) SyncStatuses(ctx context.Context) error {
	due, err := s.due(ctx)
	if err != nil || !slices.Contains(due, Statuses) {
		return err
	}
	return s.syncEach(ctx, order{onlyDue: true}, []Resource{Statuses})
}

// statusFresh is how old a status may be when a sale is confirmed: a little more than the interval of the
// sync.
const statusFresh = 90 * time.Second

// CheckProvider returns a provider's status for a sale about to be confirmed (FACTS.md, ProviderStatus). It
// asks the upstream only if the known status is old; without an answer in time, the last known one has to do.
func (s *Service) CheckProvider(ctx context.Context, code string) Status {
	s.freshenStatuses(ctx)
	return s.Current().ProviderStatus(code)
}

// freshenStatuses fetches the statuses of all providers if they are old: one call serves every cashier who waits,
// and those of the next minute. If each asked about her own provider they would use up the limit, and nobody
// would learn that selling can go on.
func (s *Service) freshenStatuses(ctx context.Context) {
	if s.d.Now().Sub(s.Current().StatusAsOf()) <= statusFresh {
		return
	}
	q := question{key: "statuses", wait: askFor, life: askAnyway, late: context.DeadlineExceeded}
	_, _ = answer(ctx, s, q, func(ctx context.Context) (any, error) { // the known status has to do
		err := s.SyncStatuses(ctx)
		if err != nil {
			s.d.Log.Warn("catalog.status_unknown", "error", err)
		}
		return nil, err
	})
}

const (
	numbersRetained      = 400 * 24 * time.Hour
	runsRetained         = 90 * 24 * time.Hour
	idleStatusesRetained = 24 * time.Hour // a run a minute, and most find nothing
	changesRetained      = 400 * 24 * time.Hour
	mostChanges          = 100_000 // of prices, and of products that came or went: some 20 MB each
)

// Forget deletes what is too old to be of use: remembered numbers, which are personal data, runs, and their
// changes.
func (s *Service) Forget(ctx context.Context) error {
	now := s.d.Now()
	return errors.Join(
		s.forget(ctx, "DELETE FROM number_operators WHERE seen_at < ?", now.Add(-numbersRetained)),
		s.forget(ctx, "DELETE FROM number_lookups WHERE asked_at < ?", now.Add(-lookupFresh)),
		s.forget(ctx, "DELETE FROM bill_lookups WHERE asked_at < ?", now.Add(-billsRetained)),
		s.forget(ctx, "DELETE FROM catalog_changes WHERE changed_at < ?", now.Add(-changesRetained)),
		s.forget(ctx, "DELETE FROM catalog_runs WHERE ended_at < ?", now.Add(-runsRetained)),
		s.forget(
			ctx, "DELETE FROM catalog_runs WHERE ended_at < ? AND resource = 'provider-statuses' AND written = 0",
			now.Add(-idleStatusesRetained),
		),
		s.forgetChanges(ctx),
	)
}

func (s *Service) forget(ctx context.Context, sql string, before time.Time) error {
	return fault.Doing("forget what is old", s.d.DB.Exec(ctx, sql, store.Moment(before)))
}
