package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/riverqueue/river"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/jobs"
	"airtill/internal/store"
)

// SyncDue brings up to date what is due, except what another process is working on. It tries everything and
// returns the first error, which is recorded and logged already.
func (s *Service) SyncDue(ctx context.Context) error {
	due, err := s.due(ctx)
	if err != nil {
		return err
	}
	return s.syncEach(ctx, order{onlyDue: true}, due)
}

// Sync brings resources up to date now, and publishes the changes as one version. Who builds one from the tables
// meanwhile, since a product is hidden or a process starts without a cache, has what is written so far: each product
// with the price and rate that came with it, but perhaps with a text of before. With force it applies even an answer
// that lacks most of the catalogue; what another run holds meanwhile is asked for again, as that run applies no such
// answer.
func (s *Service) Sync(ctx context.Context, force bool, resources ...Resource) error {
	return s.syncEach(ctx, order{force: force}, resources)
}

// order is how a sync was asked for.
type order struct {
	force   bool
	onlyDue bool // skip what another process did meanwhile
}

func (s *Service) syncEach(ctx context.Context, o order, resources []Resource) error {
	var first error
	var held []Resource
	task := s.d.Board.Begin(jobs.Catalogue, "", int64(len(resources)))
	defer task.End(ctx)
	for i, resource := range resources {
		task.At(ctx, string(resource), int64(i))
		free, err := s.syncOne(ctx, resource, o)
		if err == nil && !free {
			held = append(held, resource)
		}
		if first == nil {
			first = err
		}
		if err != nil && !refused(err) {
			break // the next would wait in vain, too
		}
	}
	if len(resources) == 0 {
		return nil
	}
	if o.force && len(held) > 0 {
		first = errors.Join(first, s.forceLater(ctx, held))
	}
	return errors.Join(first, s.publish(ctx))
}

// refused says whether the upstream answered, so that another question is worth asking.
func refused(err error) bool {
	var upstream *apiclient.Error
	return errors.As(err, &upstream) && (upstream.ResultCode != 0 || errors.Is(err, apiclient.ErrBudget))
}

// syncOne says whether the resource was free to be taken.
func (s *Service) syncOne(ctx context.Context, resource Resource, o order) (bool, error) {
	r, err := s.begin(ctx, resource, o)
	if err != nil {
		return false, fmt.Errorf("begin sync of %s: %w", resource, err)
	}
	if r == nil {
		return false, nil
	}
	cause := s.fetch(ctx, r)
	if err := r.end(ctx, cause); err != nil {
		cause = errors.Join(cause, err)
	}
	s.report(r)
	if cause != nil {
		return true, fmt.Errorf("sync %s: %w", resource, cause)
	}
	return true, nil
}

// report tells the log and the metrics how a run ended.
func (s *Service) report(r *run) {
	s.metrics.syncs.WithLabelValues(string(r.Resource), string(r.Outcome)).Inc()
	attrs := []any{
		"resource", r.Resource, "run", r.ID, "added", r.Added, "changed", r.Changed, "removed", r.Removed,
		"unsellable", r.Unsellable, "seconds", int(r.EndedAt.Sub(r.StartedAt).Seconds()),
	}
	switch r.Outcome {
	case Held:
		s.d.Log.Error("catalog.held", append(attrs, "note", r.Note)...)
	case Failed:
		s.d.Log.Error("catalog.sync_failed", append(attrs, "error", r.Note)...)
	case Interrupted:
		s.d.Log.Info("catalog.interrupted", attrs...)
	case Done:
		if r.Written > 0 || r.Resource != Statuses {
			s.d.Log.Info("catalog.synced", attrs...)
		}
	}
}

// syncSoon asks for what is due without waiting for the next check.
func (s *Service) syncSoon(ctx context.Context) error { return s.enqueue(ctx, jobs.Now(syncJob), nil) }

func (s *Service) enqueue(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) error {
	return s.d.DB.Tx(ctx, func(tx *store.Tx) error { return tx.Enqueue(ctx, args, opts) })
}

// SyncNow asks for a full sync as soon as a process is free; Runs tells how it went.
func (s *Service) SyncNow(ctx context.Context) error {
	return fault.Doing("ask for a sync", s.enqueue(ctx, SyncAllArgs{}, nil))
}

// ForceSync asks for what was held back, for somebody who knows that so much is really gone: it is applied. What nobody
// has looked at is not: the answer may lack most of that, too, by now. fault.NotFound: there is no such resource.
func (s *Service) ForceSync(ctx context.Context, chain *audit.Log, by audit.Actor, held []Resource) error {
	unknown := func(r Resource) bool { return !slices.Contains(Resources(), r) }
	if len(held) == 0 || slices.ContainsFunc(held, unknown) {
		return fault.New(fault.NotFound, "")
	}
	return fault.Doing("force a sync", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Enqueue(ctx, SyncAllArgs{Force: true, Only: held}, nil); err != nil {
			return err
		}
		return chain.Write(ctx, tx, audit.Entry{
			Actor: by, Act: audit.UpdateForced, Subject: audit.Of(audit.Product, ""),
		})
	}))
}

// forceAgain is when a forced sync tries again what another run holds: later than any job it could be taken for.
const forceAgain = 15 * time.Second

// forceLater asks again for what another run holds. That ends: its lease does.
func (s *Service) forceLater(ctx context.Context, held []Resource) error {
	ctx = context.WithoutCancel(ctx) // somebody was told that it is asked for
	later := &river.InsertOpts{ScheduledAt: s.d.Now().Add(forceAgain)}
	return fault.Doing("force a sync later", s.enqueue(ctx, SyncAllArgs{Force: true, Only: held}, later))
}

// soon is the latest a run may have begun by another process's clock. What begins later is of a clock that was ahead,
// and would hold up every sync until then.
func soon(now time.Time) time.Time { return store.Moment(now.Add(lease)) }
