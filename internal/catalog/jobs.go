package catalog

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

const (
	// checkEvery is how soon what is due is begun.
	checkEvery = 20 * time.Second
	// syncWithin is far above what a full sync takes and below the age at which
	// River would rescue the job.
	syncWithin = 5 * time.Minute
	// forgetEvery is how often old numbers and runs are thrown away.
	forgetEvery = 24 * time.Hour
)

// SyncArgs asks for what is due, or for Everything at once.
type SyncArgs struct {
	Everything bool `json:"everything,omitempty"`
	Force      bool `json:"force,omitempty"`
}

// Kind names the job.
func (SyncArgs) Kind() string { return "catalog.sync" }

// InsertOpts makes one job a check, however many processes ask, and tries it
// once: what is due stays due, and the next check finds it. Uniqueness by
// period cannot be stuck behind the job of a process that died.
func (SyncArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: checkEvery / 2}}
}

// StatusArgs asks for provider statuses if they are due. They have a job of
// their own so as not to wait for a long sync.
type StatusArgs struct{}

// Kind names the job.
func (StatusArgs) Kind() string { return "catalog.status" }

// InsertOpts are those of SyncArgs.
func (StatusArgs) InsertOpts() river.InsertOpts { return SyncArgs{}.InsertOpts() }

// ForgetArgs asks for old numbers and runs to be thrown away.
type ForgetArgs struct{}

// Kind names the job.
func (ForgetArgs) Kind() string { return "catalog.forget" }

// InsertOpts makes one job a day, tried again tomorrow.
func (ForgetArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByPeriod: forgetEvery / 2}}
}

// AddWorkers registers what works the jobs of this package.
func (s *Service) AddWorkers(workers *river.Workers) {
	river.AddWorker(workers, &syncWorker{s: s})
	river.AddWorker(workers, &statusWorker{s: s})
	river.AddWorker(workers, &forgetWorker{s: s})
}

// PeriodicJobs are inserted by whichever process leads.
func (s *Service) PeriodicJobs() []*river.PeriodicJob {
	every := func(period time.Duration, args river.JobArgs) *river.PeriodicJob {
		return river.NewPeriodicJob(river.PeriodicInterval(period),
			func() (river.JobArgs, *river.InsertOpts) { return args, nil }, &river.PeriodicJobOpts{RunOnStart: true})
	}
	return []*river.PeriodicJob{every(checkEvery, SyncArgs{}), every(checkEvery, StatusArgs{}), every(forgetEvery, ForgetArgs{})}
}

type syncWorker struct {
	river.WorkerDefaults[SyncArgs]
	s *Service
}

func (w *syncWorker) Timeout(*river.Job[SyncArgs]) time.Duration { return syncWithin }

func (w *syncWorker) Work(ctx context.Context, job *river.Job[SyncArgs]) error {
	if job.Args.Everything {
		return w.s.Sync(ctx, job.Args.Force, Resources()...)
	}
	return w.s.SyncDue(ctx)
}

type statusWorker struct {
	river.WorkerDefaults[StatusArgs]
	s *Service
}

func (w *statusWorker) Timeout(*river.Job[StatusArgs]) time.Duration { return time.Minute }

func (w *statusWorker) Work(ctx context.Context, _ *river.Job[StatusArgs]) error {
	return w.s.SyncStatuses(ctx)
}

type forgetWorker struct {
	river.WorkerDefaults[ForgetArgs]
	s *Service
}

func (w *forgetWorker) Timeout(*river.Job[ForgetArgs]) time.Duration { return time.Minute }

func (w *forgetWorker) Work(ctx context.Context, _ *river.Job[ForgetArgs]) error {
	return w.s.Forget(ctx)
}
