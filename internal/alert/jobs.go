package alert

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

const (
	lookEvery = time.Minute
	// sendTries lets a message wait for a receiver for about two days.
	sendTries = 12
)

// LookArgs is the job that looks at the rules.
type LookArgs struct{}

// Kind names the job.
func (LookArgs) Kind() string { return "alert.look" }

// InsertOpts lets one wait or run at a time.
func (LookArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable, rivertype.JobStateScheduled,
	}}}
}

// SendArgs is the job that tells one message.
type SendArgs struct {
	Message string `json:"message"` // id
}

// Kind names the job.
func (SendArgs) Kind() string { return "alert.send" }

// InsertOpts tries again, later and later.
func (SendArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: sendTries} }

type lookWorker struct {
	river.WorkerDefaults[LookArgs]
	service *Service
}

func (w *lookWorker) Work(ctx context.Context, _ *river.Job[LookArgs]) error {
	return w.service.Look(ctx)
}

type sendWorker struct {
	river.WorkerDefaults[SendArgs]
	service *Service
}

func (w *sendWorker) Work(ctx context.Context, job *river.Job[SendArgs]) error {
	return w.service.Send(ctx, job.Args.Message)
}

// AddWorkers registers the jobs of this room.
func (s *Service) AddWorkers(workers *river.Workers) {
	river.AddWorker(workers, &lookWorker{service: s})
	river.AddWorker(workers, &sendWorker{service: s})
}

// PeriodicJobs is when it looks.
func (s *Service) PeriodicJobs() []*river.PeriodicJob {
	return []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(lookEvery),
		func() (river.JobArgs, *river.InsertOpts) { return LookArgs{}, nil }, &river.PeriodicJobOpts{RunOnStart: true})}
}
