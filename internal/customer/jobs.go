package customer

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

const sweepEvery = 24 * time.Hour

// SweepArgs is the job that forgets customers who no longer come.
type SweepArgs struct{}

// Kind names the job.
func (SweepArgs) Kind() string { return "customer.sweep" }

// InsertOpts makes one job a day, tried again tomorrow.
func (SweepArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByPeriod: sweepEvery / 2}}
}

type sweepWorker struct {
	river.WorkerDefaults[SweepArgs]
	book *Book
}

// Work sweeps.
func (w *sweepWorker) Work(ctx context.Context, _ *river.Job[SweepArgs]) error {
	return w.book.Sweep(ctx)
}

// AddWorkers registers what works the jobs of this package.
func (b *Book) AddWorkers(workers *river.Workers) { river.AddWorker(workers, &sweepWorker{book: b}) }

// PeriodicJobs returns the sweep, once a day and at start.
func (b *Book) PeriodicJobs() []*river.PeriodicJob {
	return []*river.PeriodicJob{
		river.NewPeriodicJob(river.PeriodicInterval(sweepEvery), func() (river.JobArgs, *river.InsertOpts) { return SweepArgs{}, nil },
			&river.PeriodicJobOpts{RunOnStart: true}),
	}
}
