package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"airtill/internal/staff"
)

// River's defaults are made for jobs that may wait and rarely run. Here a sweep
// every two seconds brings back the outcome a cashier waits for.
const (
	jobTimeout   = time.Minute            // of a job that names none of its own
	rescueAfter  = 10 * time.Minute       // beyond the longest job, a sync of 5 minutes
	maxAttempts  = 3                      // rows remember what is due, so a job need not try for days
	fetchAfter   = 15 * time.Millisecond  // of an insert that was announced
	pollEvery    = 500 * time.Millisecond // where inserts are not announced
	keepJobs     = time.Hour              // when done: the sweep alone is 1,800 an hour
	softStop     = 10 * time.Second
	workersAlike = 10
	forgetEvery  = 15 * time.Minute // sessions that are over
)

// room is a concept with work of its own to do.
type room interface {
	AddWorkers(workers *river.Workers)
	PeriodicJobs() []*river.PeriodicJob
}

// rooms lists them once, so that none has workers that nothing ever calls.
func (s *shop) rooms() []room {
	return []room{s.catalog, s.sales, s.reconcile, s.report, s.statements, s.invariants, s.customers, s.approvals, s.alerts}
}

func (s *shop) buildJobs() (err error) {
	workers := river.NewWorkers()
	periodic := []*river.PeriodicJob{
		river.NewPeriodicJob(river.PeriodicInterval(forgetEvery), func() (river.JobArgs, *river.InsertOpts) { return staff.SweepArgs{}, nil }, nil),
	}
	for _, room := range s.rooms() {
		room.AddWorkers(workers)
		periodic = append(periodic, room.PeriodicJobs()...)
	}
	river.AddWorker(workers, &staff.SweepWorker{Staff: s.staff})
	s.jobs, err = s.db.NewJobClient(&river.Config{
		ID: s.process, Workers: workers, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workersAlike}},
		PeriodicJobs: periodic,
		JobTimeout:   jobTimeout, RescueStuckJobsAfter: rescueAfter, MaxAttempts: maxAttempts,
		FetchCooldown: fetchAfter, FetchPollInterval: pollEvery, CompletedJobRetentionPeriod: keepJobs, SoftStopTimeout: softStop,
		Middleware: []rivertype.Middleware{newJobWatch(s.metrics, s.log)},
		Logger:     slog.New(atLeast{s.log.Handler(), slog.LevelWarn}),
	})
	return err
}

// jobWatch counts and times jobs, and logs those that fail.
type jobWatch struct {
	river.MiddlewareDefaults
	seconds *prometheus.HistogramVec
	log     *slog.Logger
}

func newJobWatch(metrics prometheus.Registerer, log *slog.Logger) *jobWatch {
	w := &jobWatch{log: log, seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "airtill_job_seconds", Help: "Seconds a job took, by kind and outcome.", Buckets: prometheus.ExponentialBuckets(.001, 4, 9),
	}, []string{"kind", "outcome"})}
	metrics.MustRegister(w.seconds)
	return w
}

// Work runs the job.
func (w *jobWatch) Work(ctx context.Context, job *rivertype.JobRow, do func(context.Context) error) error {
	began, outcome := now(), "panicked"
	defer func() { w.seconds.WithLabelValues(job.Kind, outcome).Observe(now().Sub(began).Seconds()) }()
	err := do(ctx)
	if outcome = "done"; err != nil {
		outcome = "failed"
		w.log.ErrorContext(ctx, "job.failed", "kind", job.Kind, "job", job.ID, "attempt", job.Attempt, "error", err)
	}
	return err
}
