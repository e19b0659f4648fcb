package approval

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

const sweepEvery = 24 * time.Hour

// SweepArgs is the job that deletes requests of long ago.
type SweepArgs struct{}

// Kind names the job.
func (SweepArgs) Kind() string { return "approval.sweep" }

// InsertOpts makes one job a day, tried again tomorrow.
func (SweepArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByPeriod: sweepEvery / 2}}
}

type sweepWorker struct {
	river.WorkerDefaults[SweepArgs]
	desk *Desk
}

// Work sweeps.
func (w *sweepWorker) Work(ctx context.Context, _ *river.Job[SweepArgs]) error {
	return w.desk.Sweep(ctx)
}

// AddWorkers registers what works the jobs of this package.
func (k *Desk) AddWorkers(workers *river.Workers) { river.AddWorker(workers, &sweepWorker{desk: k}) }

// PeriodicJobs returns the sweep, once a day.
func (k *Desk) PeriodicJobs() []*river.PeriodicJob {
	return []*river.PeriodicJob{
		river.NewPeriodicJob(river.PeriodicInterval(sweepEvery), func() (river.JobArgs, *river.InsertOpts) { return SweepArgs{}, nil }, nil),
	}
}
