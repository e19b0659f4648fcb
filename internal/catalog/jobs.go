package catalog

import (
	"context"
	"runtime/debug"
	"slices"
	"time"

	"github.com/riverqueue/river"

	"airtill/internal/jobs"
)

const (
	syncJob   = "catalog.sync"
	statusJob = "catalog.status"
	// syncWithin is far more than a full sync takes, and less than the age at which River would rescue the
	// job.
	syncWithin = 5 * time.Minute
)

// SyncAllArgs asks for everything, or what it names, to be brought up to date now.
type SyncAllArgs struct {
	Force bool       `json:"force,omitempty"` // apply even what lacks most of the catalogue
	Only  []Resource `json:"only,omitempty"`  // none: everything
}

// Kind names the job.
func (SyncAllArgs) Kind() string { return "catalog.sync_all" }

// InsertOpts makes one job of a double click, with a single try: what is due stays due.
func (SyncAllArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: 10 * time.Second}}
}

// SyncTextsArgs asks for the texts in every language that is wanted.
type SyncTextsArgs struct{}

// Kind names the job.
func (SyncTextsArgs) Kind() string { return "catalog.texts" }

// InsertOpts tries once: texts are due again after three hours anyway.
func (SyncTextsArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 1} }

// Jobs bring up to date what is due and what somebody asks for. Provider statuses have a job of their own, so
// as not to wait for a long sync.
func (s *Service) Jobs() []jobs.Job {
	return []jobs.Job{
		jobs.Periodic{
			Kind: syncJob, Every: 20 * time.Second, Timeout: syncWithin, Due: s.isDue(goods()...),
			Do: func(ctx context.Context) error {
				defer debug.FreeOSMemory() // a sync leaves more garbage than a day of sales
				return s.SyncDue(ctx)
			},
		},
		jobs.Periodic{Kind: statusJob, Every: 20 * time.Second, Due: s.isDue(Statuses), Do: s.SyncStatuses},
		jobs.Periodic{Kind: "catalog.forget", Every: 24 * time.Hour, Do: s.Forget, Lasting: true},
		jobs.OnRequest[SyncAllArgs]{Timeout: syncWithin, Do: func(ctx context.Context, args SyncAllArgs) error {
			defer debug.FreeOSMemory()
			if len(args.Only) == 0 {
				args.Only = Resources()
			}
			return s.Sync(ctx, args.Force, args.Only...)
		}},
		jobs.OnRequest[SyncTextsArgs]{Timeout: syncWithin, Do: func(ctx context.Context, _ SyncTextsArgs) error {
			defer debug.FreeOSMemory()
			return s.Sync(ctx, false, Texts, PromotionTexts)
		}},
	}
}

// kinds are the jobs that sync.
func kinds() []string {
	return []string{syncJob, statusJob, SyncAllArgs{}.Kind(), SyncTextsArgs{}.Kind()}
}

// goods are what a sync of the statuses alone leaves out.
func goods() []Resource {
	return slices.DeleteFunc(Resources(), func(r Resource) bool { return r == Statuses })
}

// isDue says whether one of some resources is due.
func (s *Service) isDue(some ...Resource) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		due, err := s.due(ctx)
		return slices.ContainsFunc(due, func(r Resource) bool { return slices.Contains(some, r) }), err
	}
}
