package statement

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

const (
	closeEvery  = 15 * time.Minute
	closeWithin = 9 * time.Minute // before River takes it for stuck
)

// CloseArgs is the job that closes the days that are over.
type CloseArgs struct{}

// Kind names the job.
func (CloseArgs) Kind() string { return "statement.close" }

// InsertOpts lets one wait or run at a time; what is due stays due.
func (CloseArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable, rivertype.JobStateScheduled,
	}}}
}

type worker struct {
	river.WorkerDefaults[CloseArgs]
	service *Service
}

// Timeout: the first run of a large business closes many days.
func (*worker) Timeout(*river.Job[CloseArgs]) time.Duration { return closeWithin }

func (w *worker) Work(ctx context.Context, _ *river.Job[CloseArgs]) error {
	_, err := w.service.CloseDue(ctx)
	return err
}

// AddWorkers registers the job of this room.
func (s *Service) AddWorkers(workers *river.Workers) { river.AddWorker(workers, &worker{service: s}) }

// PeriodicJobs is when it runs.
func (s *Service) PeriodicJobs() []*river.PeriodicJob {
	return []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(closeEvery),
		func() (river.JobArgs, *river.InsertOpts) { return CloseArgs{}, nil }, &river.PeriodicJobOpts{RunOnStart: true})}
}
