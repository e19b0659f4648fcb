// Package catalog knows what can be sold, to which number and at what price.
//
// A sync copies the upstream's reference data into tables, writing only what changed. The result becomes an
// immutable Snapshot under a new version, which every process holds in memory and serves pages from: with the
// upstream, Redis and the database all gone, the last Snapshot still serves.
package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	gosync "sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"airtill/internal/apiclient"
	"airtill/internal/jobs"
	"airtill/internal/store"
)

// Deps is what a Service needs.
type Deps struct {
	DB        *store.DB
	Upstream  *apiclient.Client
	Cache     Cache                 // nil: this process is alone
	NumberKey []byte                // keys the hashes of remembered account numbers; at least 32 bytes
	Languages []string              // of product texts; nil: English alone
	Further   []string              // languages of texts that are fetched when Want asks for them
	Metrics   prometheus.Registerer // nil: none
	Board     *jobs.Board           // nil: a sync's progress is not shown
	Log       *slog.Logger          // nil: none
	Now       func() time.Time
}

// Service is the catalogue of one process. It is safe for concurrent use.
type Service struct {
	d       Deps
	metrics *metrics

	current    atomic.Pointer[Snapshot]
	hiddenIn   store.Memory[string, []Hidden] // by shop
	favourites store.Memory[string, []string]
	swapping   gosync.Mutex // held while building a Snapshot
	asking     singleflight.Group
	estimates  estimates
	wanted     gosync.Map      // languages that Want has seen to
	life       context.Context // ends with Close
	end        context.CancelFunc
	running    gosync.WaitGroup
}

const minNumberKey = 32

// New returns a Service with an empty Snapshot; Start fills it.
func New(d Deps) (*Service, error) {
	if len(d.NumberKey) < minNumberKey {
		return nil, fmt.Errorf("catalogue: the number key is shorter than %d bytes", minNumberKey)
	}
	if d.Cache == nil {
		d.Cache = noCache{}
	}
	if d.Languages == nil {
		d.Languages = []string{"en"}
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{d: d}
	//nolint:forbidigo // outlives the call that makes it, ends with Close
	s.life, s.end = context.WithCancel(context.Background())
	s.current.Store(newSnapshot(content{}))
	s.metrics = newMetrics(d.Metrics, s)
	return s, nil
}

// Current returns what is for sale now. It is never nil: before the first sync it is an Empty Snapshot.
func (s *Service) Current() *Snapshot { return s.current.Load() }

// Start loads the newest version, asks for the first sync if there was none and for statuses that are old, and
// follows new versions until Close. It fails only if the database does not answer.
func (s *Service) Start(ctx context.Context) error {
	if err := s.Refresh(ctx); err != nil {
		return fmt.Errorf("start catalogue: %w", err)
	}
	if s.Current().Empty() {
		if err := s.syncSoon(ctx); err != nil {
			return fmt.Errorf("start catalogue: %w", err)
		}
	}
	s.running.Go(s.follow)
	s.running.Go(func() { s.freshenStatuses(s.life) }) // the jobs' own schedule starts once a leader is elected
	return nil
}

// Close stops following and waits for what is under way. Call it when nothing uses the Service any more.
func (s *Service) Close() {
	s.end()
	s.running.Wait()
}

// pollEvery is how soon a new version is noticed without a notice.
const pollEvery = 3 * time.Second

// follow brings the Snapshot up to date: at once on a notice, within pollEvery
// without.
func (s *Service) follow() {
	notices := s.d.Cache.Notices(s.life)
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	well := true
	var held *shelves
	for {
		if on := s.Current().shelves; on != held {
			held = on
			debug.FreeOSMemory() // reading a catalogue leaves as much again in garbage
		}
		select {
		case <-s.life.Done():
			return
		case <-notices:
		case <-tick.C:
		}
		err := s.Refresh(s.life)
		if err != nil && well && s.life.Err() == nil {
			s.d.Log.Warn("catalog.refresh_failed", "error", err)
		}
		well = err == nil
	}
}
