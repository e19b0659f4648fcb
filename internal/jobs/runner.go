package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"airtill/internal/store"
)

// River's defaults are for jobs that may wait and rarely run. Here a sweep every two seconds fetches the
// outcome a cashier waits for.
const (
	jobTimeout   = time.Minute           // of a job that sets none
	rescueAfter  = 10 * time.Minute      // for what Processes.Release does not see
	maxAttempts  = 3                     // rows say what is due, so a job need not try for days
	fetchAfter   = 15 * time.Millisecond // after an announced insert
	pollEvery    = time.Second           // where inserts are not announced
	jobsRetained = time.Hour             // of finished jobs: the sweep alone makes 1,800 an hour
	softStop     = 10 * time.Second
	workersAlike = 10
)

// Deps is what a Runner needs.
type Deps struct {
	DB      *store.DB
	Process string // its id in the table processes, and River's client's
	Metrics prometheus.Registerer
	Log     *slog.Logger // of River, from warnings on, and of failed jobs
	Now     func() time.Time
	// Upstream says why the upstream did not do what a job asked, "" of every other error; nil: no job asks it.
	Upstream func(error) Reason
	// RightClock asks the upstream and fails where the clock is ahead, for Lasting jobs; nil: it is right.
	RightClock func(context.Context) error

	clock rivertype.TimeGenerator // River's; nil: the machine's
}

// Runner works jobs from Start to Stop.
type Runner struct {
	d      Deps
	client store.JobClient
	life   context.Context // from Start on

	periodic map[string]bool // by kind

	stopping func() // tells the jobs
}

// New returns a runner of all kinds of work, not started.
func New(d Deps, all ...Job) (*Runner, error) {
	stopping := make(chan struct{})
	r := &Runner{d: d, stopping: sync.OnceFunc(func() { close(stopping) }), periodic: map[string]bool{}}
	workers := river.NewWorkers()
	var periodic []*river.PeriodicJob
	for _, job := range all {
		periodic = append(periodic, job.register(workers, r)...)
	}
	var err error
	r.client, err = d.DB.NewJobClient(&river.Config{
		ID: d.Process, Workers: workers, Queues: map[string]river.QueueConfig{
			river.QueueDefault: {MaxWorkers: workersAlike},
		},
		PeriodicJobs:      periodic,
		ReindexerSchedule: river.NeverSchedule(), // needs the owner of the tables, which the till is not
		JobTimeout:        jobTimeout, RescueStuckJobsAfter: rescueAfter, MaxAttempts: maxAttempts,
		FetchCooldown: fetchAfter, FetchPollInterval: pollEvery, CompletedJobRetentionPeriod: jobsRetained,
		SoftStopTimeout: softStop,
		PollOnly:        d.DB.Alone(), // what River calls announcing is a look every 50 ms there
		Middleware:      []rivertype.Middleware{&dueNow{}, newWatch(d, stopping)},
		Test:            river.TestConfig{Time: d.clock},
		ErrorHandler:    leftToOthers{d},
		Logger:          slog.New(warnings{d.Log.Handler()}),
	})
	if err != nil {
		return nil, fmt.Errorf("job runner: %w", err)
	}
	return r, nil
}

// Start begins to work.
func (r *Runner) Start(ctx context.Context) error {
	r.life = ctx
	return r.client.Start(ctx)
}

// Stop waits a few seconds for running jobs and returns.
func (r *Runner) Stop(ctx context.Context) error {
	r.stopping()
	return r.client.Stop(ctx)
}

type stoppingKey struct{}

// Stopping is closed as soon as the runner that works a job stops: a job that only waits for something does so no
// longer. The context of a job ends seconds later. Nil outside a runner.
func Stopping(ctx context.Context) <-chan struct{} {
	stopping, _ := ctx.Value(stoppingKey{}).(<-chan struct{})
	return stopping
}

// Run begins periodic work of a kind as soon as a process is free.
func (r *Runner) Run(ctx context.Context, kind string) error {
	_, err := r.client.Insert(ctx, Now(kind), nil)
	return err
}

// rolledOut is how long after a job was made all processes are of one version.
const rolledOut = time.Hour

// leftToOthers leaves jobs of kinds that only a newer program knows to the processes that run it.
type leftToOthers struct{ d Deps }

// HandleError has the job tried again, however often it may be: River decides by this row, and stores that it waits.
func (l leftToOthers) HandleError(
	_ context.Context, job *rivertype.JobRow, err error,
) *river.ErrorHandlerResult {
	var unknown *rivertype.UnknownJobKindError
	if errors.As(err, &unknown) && l.d.Now().Sub(job.CreatedAt) < rolledOut {
		job.MaxAttempts = job.Attempt + 1
	}
	return nil
}

// HandlePanic changes nothing.
func (leftToOthers) HandlePanic(context.Context, *rivertype.JobRow, any, string) *river.ErrorHandlerResult {
	return nil
}

// warnings passes on what River logs from warnings up, and no error of what a stopping process began and was cut short.
type warnings struct{ slog.Handler }

// Enabled says whether a line of the level is written.
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	cutShort := level == slog.LevelError && ctx.Err() != nil
	return level >= slog.LevelWarn && !cutShort && w.Handler.Enabled(ctx, level)
}

// WithAttrs retains the level.
func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}

// WithGroup retains the level.
func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }

// dueNow leaves it to the database's clock when a job is due that is to run at once. River stamps periodic work with
// the process's clock: if that is an hour ahead, or was when the process began, the job waits for an hour, and so does
// all of its kind.
type dueNow struct{ river.MiddlewareDefaults }

// InsertMany inserts jobs.
func (*dueNow) InsertMany(
	ctx context.Context, many []*rivertype.JobInsertParams,
	insert func(context.Context) ([]*rivertype.JobInsertResult, error),
) ([]*rivertype.JobInsertResult, error) {
	for _, job := range many {
		if job.State == rivertype.JobStateAvailable {
			job.ScheduledAt = nil
		}
	}
	return insert(ctx)
}

// watch counts and times jobs, and logs those that fail.
type watch struct {
	river.MiddlewareDefaults
	seconds  *prometheus.HistogramVec
	d        Deps
	stopping <-chan struct{}
}

func newWatch(d Deps, stopping <-chan struct{}) *watch {
	return &watch{d: d, stopping: stopping, seconds: promauto.With(d.Metrics).NewHistogramVec(prometheus.HistogramOpts{
		Name: "airtill_job_seconds", Help: "Seconds a job took, by kind and outcome.",
		Buckets: prometheus.ExponentialBuckets(.001, 4, 9),
	}, []string{"kind", "outcome"})}
}

// Work runs the job.
func (w *watch) Work(ctx context.Context, job *rivertype.JobRow, do func(context.Context) error) error {
	began, outcome := w.d.Now(), "panicked"
	defer func() { w.seconds.WithLabelValues(job.Kind, outcome).Observe(w.d.Now().Sub(began).Seconds()) }()
	err := do(context.WithValue(ctx, stoppingKey{}, w.stopping))
	if outcome = "done"; err != nil {
		outcome = "failed"
		reason, cause := InLog, err
		if f, ok := errors.AsType[*failure](err); ok {
			reason, cause = f.reason, f.err
		}
		level, event := slog.LevelError, "job.failed"
		if errors.Is(err, context.Canceled) && errors.Is(ctx.Err(), context.Canceled) &&
			!errors.Is(context.Cause(ctx), river.ErrJobCancelledRemotely) {
			level, event, outcome = slog.LevelWarn, "job.stopped", "stopped" // with the process; River hands it on
		}
		w.d.Log.Log(
			ctx, level, event,
			"kind", job.Kind, "job", job.ID, "attempt", job.Attempt, "reason", reason, "error", cause,
		)
	}
	return err
}
