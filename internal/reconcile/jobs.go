package reconcile

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// How often the jobs run. What is due is written in rows; a run that is missed
// loses nothing.
const (
	sweepEvery   = 2 * time.Second
	balanceEvery = 5 * time.Minute
)

// SweepArgs is the job that does what is due.
type SweepArgs struct{}

// Kind names the job.
func (SweepArgs) Kind() string { return "reconcile.sweep" }

// InsertOpts lets one sweep wait or run at a time, over all processes. A sweep
// that fails is not retried: the next one is two seconds away.
func (SweepArgs) InsertOpts() river.InsertOpts { return oneAtATime() }

// BalanceArgs is the job that asks for the balance.
type BalanceArgs struct{}

// Kind names the job.
func (BalanceArgs) Kind() string { return "reconcile.balance" }

// InsertOpts lets one wait or run at a time.
func (BalanceArgs) InsertOpts() river.InsertOpts { return oneAtATime() }

// CheckpointArgs is the job that folds postings into checkpoints.
type CheckpointArgs struct{}

// Kind names the job.
func (CheckpointArgs) Kind() string { return "ledger.checkpoint" }

// InsertOpts lets one wait or run at a time.
func (CheckpointArgs) InsertOpts() river.InsertOpts { return oneAtATime() }

func oneAtATime() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable, rivertype.JobStateScheduled,
	}}}
}

type sweepWorker struct {
	river.WorkerDefaults[SweepArgs]
	service *Service
}

// Timeout: a sweep makes up to a hundred look-ups, each of a second or so.
func (*sweepWorker) Timeout(*river.Job[SweepArgs]) time.Duration { return 3 * time.Minute }

func (w *sweepWorker) Work(ctx context.Context, _ *river.Job[SweepArgs]) error {
	return w.service.Sweep(ctx)
}

type balanceWorker struct {
	river.WorkerDefaults[BalanceArgs]
	service *Service
}

func (w *balanceWorker) Work(ctx context.Context, _ *river.Job[BalanceArgs]) error {
	return w.service.CheckBalance(ctx, "")
}

type checkpointWorker struct {
	river.WorkerDefaults[CheckpointArgs]
	service *Service
}

func (w *checkpointWorker) Work(ctx context.Context, _ *river.Job[CheckpointArgs]) error {
	return w.service.Ledger.Checkpoint(ctx, w.service.Now())
}

// RecordsArgs is the job that looks at the upstream's records, and at drawers.
type RecordsArgs struct{}

// Kind names the job.
func (RecordsArgs) Kind() string { return "reconcile.records" }

// InsertOpts lets one wait or run at a time.
func (RecordsArgs) InsertOpts() river.InsertOpts { return oneAtATime() }

type recordsWorker struct {
	river.WorkerDefaults[RecordsArgs]
	service *Service
}

// Timeout: six pages of the list, and what they are matched with.
func (*recordsWorker) Timeout(*river.Job[RecordsArgs]) time.Duration { return 3 * time.Minute }

func (w *recordsWorker) Work(ctx context.Context, _ *river.Job[RecordsArgs]) error {
	return w.service.LookIfDue(ctx)
}

// QuietArgs is the job that compares the balance once a day while nothing is
// under way.
type QuietArgs struct{}

// Kind names the job.
func (QuietArgs) Kind() string { return "reconcile.quiet" }

// InsertOpts lets one wait or run at a time.
func (QuietArgs) InsertOpts() river.InsertOpts { return oneAtATime() }

type quietWorker struct {
	river.WorkerDefaults[QuietArgs]
	service *Service
}

// Timeout: the wait for a quiet moment, and what follows.
func (*quietWorker) Timeout(*river.Job[QuietArgs]) time.Duration { return 5 * time.Minute }

func (w *quietWorker) Work(ctx context.Context, _ *river.Job[QuietArgs]) error {
	return w.service.QuietCheck(ctx)
}

// AddWorkers registers the jobs of this room.
func (s *Service) AddWorkers(workers *river.Workers) {
	river.AddWorker(workers, &sweepWorker{service: s})
	river.AddWorker(workers, &balanceWorker{service: s})
	river.AddWorker(workers, &checkpointWorker{service: s})
	river.AddWorker(workers, &recordsWorker{service: s})
	river.AddWorker(workers, &quietWorker{service: s})
}

// PeriodicJobs is when they run.
func (s *Service) PeriodicJobs() []*river.PeriodicJob {
	every := func(period time.Duration, args river.JobArgs) *river.PeriodicJob {
		return river.NewPeriodicJob(river.PeriodicInterval(period), func() (river.JobArgs, *river.InsertOpts) { return args, nil },
			&river.PeriodicJobOpts{RunOnStart: true})
	}
	return []*river.PeriodicJob{
		every(sweepEvery, SweepArgs{}), every(balanceEvery, BalanceArgs{}), every(11*time.Minute, CheckpointArgs{}),
		every(10*time.Minute, RecordsArgs{}), every(time.Hour, QuietArgs{}),
	}
}
