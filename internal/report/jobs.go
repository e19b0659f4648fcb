package report

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

const refreshEvery = 5 * time.Second

// RefreshArgs is the job that brings the rollups up to date.
type RefreshArgs struct{}

// Kind names the job.
func (RefreshArgs) Kind() string { return "report.refresh" }

// InsertOpts lets one wait or run at a time, over all processes; one that fails
// is not retried, since the next is seconds away.
func (RefreshArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable, rivertype.JobStateScheduled,
	}}}
}

type refreshWorker struct {
	river.WorkerDefaults[RefreshArgs]
	service *Service
}

// Timeout leaves room for the first refresh after an upgrade, which sums every
// sale there is; it goes on where it was cut off.
func (*refreshWorker) Timeout(*river.Job[RefreshArgs]) time.Duration { return 5 * time.Minute }

func (w *refreshWorker) Work(ctx context.Context, _ *river.Job[RefreshArgs]) error {
	return w.service.Refresh(ctx)
}

const deliverEvery = time.Minute

// DeliverArgs is the job that sends the reports that are due.
type DeliverArgs struct{}

// Kind names the job.
func (DeliverArgs) Kind() string { return "report.deliver" }

// InsertOpts is that of a refresh: rows remember what is due. One that failed
// stays among the failed jobs, which the health page shows.
func (DeliverArgs) InsertOpts() river.InsertOpts { return RefreshArgs{}.InsertOpts() }

type deliverWorker struct {
	river.WorkerDefaults[DeliverArgs]
	service *Service
}

// Timeout leaves room for as many messages as are sent at once.
func (*deliverWorker) Timeout(*river.Job[DeliverArgs]) time.Duration { return 5 * time.Minute }

func (w *deliverWorker) Work(ctx context.Context, _ *river.Job[DeliverArgs]) error {
	return w.service.Deliver(ctx)
}

// AddWorkers registers the jobs of this room.
func (s *Service) AddWorkers(workers *river.Workers) {
	river.AddWorker(workers, &refreshWorker{service: s})
	river.AddWorker(workers, &deliverWorker{service: s})
}

// PeriodicJobs is when they run.
func (s *Service) PeriodicJobs() []*river.PeriodicJob {
	return []*river.PeriodicJob{
		river.NewPeriodicJob(river.PeriodicInterval(refreshEvery),
			func() (river.JobArgs, *river.InsertOpts) { return RefreshArgs{}, nil }, &river.PeriodicJobOpts{RunOnStart: true}),
		river.NewPeriodicJob(river.PeriodicInterval(deliverEvery),
			func() (river.JobArgs, *river.InsertOpts) { return DeliverArgs{}, nil }, nil),
	}
}
