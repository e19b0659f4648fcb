package sales

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

const purgeEvery = 24 * time.Hour

// PurgeArgs is the job that throws away receipts whose time is over.
type PurgeArgs struct{}

// Kind names the job.
func (PurgeArgs) Kind() string { return "sales.purge" }

// InsertOpts makes one job a day, tried again tomorrow.
func (PurgeArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByPeriod: purgeEvery / 2}}
}

type purgeWorker struct {
	river.WorkerDefaults[PurgeArgs]
	service *Service
}

// Timeout: the first run may have years to go through.
func (*purgeWorker) Timeout(*river.Job[PurgeArgs]) time.Duration { return 10 * time.Minute }

func (w *purgeWorker) Work(ctx context.Context, _ *river.Job[PurgeArgs]) error {
	return w.service.Purge(ctx)
}

// AddWorkers registers the jobs of this room.
func (s *Service) AddWorkers(workers *river.Workers) {
	river.AddWorker(workers, &purgeWorker{service: s})
}

// PeriodicJobs is when they run.
func (s *Service) PeriodicJobs() []*river.PeriodicJob {
	return []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(purgeEvery),
		func() (river.JobArgs, *river.InsertOpts) { return PurgeArgs{}, nil }, &river.PeriodicJobOpts{RunOnStart: true})}
}
