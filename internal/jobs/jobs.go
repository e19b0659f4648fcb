// Package jobs is work in the background, done by whichever process is free: periodic, or on request. Rows say
// what is due; a job only sees to it (docs/adr/0003).
package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// Job is one kind of work: Periodic, or OnRequest.
type Job interface {
	register(workers *river.Workers, r *Runner) []*river.PeriodicJob
}

// Periodic is work that one process at a time does again and again, first when the till starts. A failed run
// is not retried: the next one finds the same work.
type Periodic struct {
	Kind    string // under which River stores it
	Every   time.Duration
	Timeout time.Duration // of one run; 0 for a minute
	// Due says whether there is anything to do; nil: always. It costs less than a job that finds nothing.
	Due func(context.Context) (bool, error)
	Do  func(context.Context) error
	// Lasting says that nothing can undo what Do does by the clock: not while that may be ahead of the upstream's.
	Lasting bool
}

const dueWithin = 5 * time.Second

// due says whether a run is needed. Where that is not known, it is: the job tells of the error.
func (p Periodic) due(life context.Context) bool {
	if p.Due == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(life, dueWithin)
	defer cancel()
	due, err := p.Due(ctx)
	return due || err != nil
}

func (p Periodic) do(ctx context.Context, r *Runner) error {
	if !p.Lasting || r.d.RightClock == nil {
		return p.Do(ctx)
	}
	err := r.d.RightClock(ctx)
	if err == nil {
		return p.Do(ctx)
	}
	if r.d.Upstream(err) != "" { // of which an operator hears elsewhere
		r.d.Log.InfoContext(ctx, "job.put-off", "kind", p.Kind, "error", err)
		return nil
	}
	return err
}

func (p Periodic) register(workers *river.Workers, r *Runner) []*river.PeriodicJob {
	args := Now(p.Kind)
	r.periodic[p.Kind] = true
	river.AddWorkerArgs(workers, run{p.Kind}, &worker[run]{
		runner: r, timeout: p.Timeout, do: func(ctx context.Context, _ run) error { return p.do(ctx, r) },
	})
	return []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(p.Every),
		func() (river.JobArgs, *river.InsertOpts) {
			if !p.due(r.life) {
				return nil, nil
			}
			return args, nil
		}, &river.PeriodicJobOpts{RunOnStart: true})}
}

// Now is the job that begins periodic work of a kind at once. While one waits or runs, no other is added.
func Now(kind string) river.JobArgs { return run{kind} }

type run struct{ named string }

// Kind names the job.
func (r run) Kind() string { return r.named }

// InsertOpts lets one wait or run at a time over all processes, and try once. Processes.Release ends the run
// of a killed process, which would block the next.
func (run) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByState: []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning, rivertype.JobStateRetryable,
		rivertype.JobStateScheduled,
	}}}
}

// OnRequest is work that somebody asks for, with arguments. Their InsertOpts say how often it is tried.
type OnRequest[T river.JobArgs] struct {
	Timeout time.Duration // of one try; 0 for a minute
	Do      func(context.Context, T) error
}

func (o OnRequest[T]) register(workers *river.Workers, r *Runner) []*river.PeriodicJob {
	river.AddWorker(workers, &worker[T]{runner: r, timeout: o.Timeout, do: o.Do})
	return nil
}

type worker[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	runner  *Runner
	timeout time.Duration
	do      func(context.Context, T) error
}

// Timeout bounds one try.
func (w *worker[T]) Timeout(*river.Job[T]) time.Duration { return w.timeout }

// Work runs the job.
func (w *worker[T]) Work(ctx context.Context, job *river.Job[T]) error {
	return w.runner.failed(ctx, w.do(ctx, job.Args))
}
