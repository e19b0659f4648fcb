package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"airtill/internal/fault"
)

// Row is a job as its page shows it.
type Row struct {
	ID        int64
	Kind      string
	State     rivertype.JobState
	Attempt   int
	StartedAt *time.Time // of the last try; nil: none yet
	EndedAt   *time.Time // for good; nil: not yet
	Reason    Reason     // the last try failed; "": it did not
	Technical string     // the text of its error, in English; "": none
	FailedAt  time.Time  // of the last try; zero: it did not fail
}

func rowOf(j *rivertype.JobRow) Row {
	r := Row{
		ID: j.ID, Kind: j.Kind, State: j.State, Attempt: j.Attempt, StartedAt: j.AttemptedAt, EndedAt: j.FinalizedAt,
	}
	r.Reason, r.Technical, r.FailedAt = why(j)
	return r
}

const (
	failuresListed = 50
	failedIn       = 24 * time.Hour
	failuresSummed = 1000
)

// Last returns the last job that River still remembers of each kind.
func (r *Runner) Last(ctx context.Context) ([]Row, error) {
	return r.list(ctx, river.NewJobListParams().Where("id IN (SELECT MAX(id) FROM river_job GROUP BY kind)").
		OrderBy(river.JobListOrderByID, river.SortOrderDesc).First(failuresSummed))
}

// Failed returns jobs that were given up on or wait for another try, the newest first.
func (r *Runner) Failed(ctx context.Context) ([]Row, error) {
	return r.list(ctx, river.NewJobListParams().
		States(rivertype.JobStateDiscarded, rivertype.JobStateRetryable, rivertype.JobStateCancelled).
		OrderBy(river.JobListOrderByID, river.SortOrderDesc).First(failuresListed))
}

// GivenUp is a kind of job that was given up on lately.
type GivenUp struct {
	Kind  string
	Count int
	Last  time.Time
}

// GivenUp counts the jobs given up on in the last day by kind, the kind that failed last first. Periodic work that was
// cut by the end of its process is not among them: the next process begins it anew.
func (r *Runner) GivenUp(ctx context.Context) ([]GivenUp, error) {
	rows, err := r.list(ctx, river.NewJobListParams().States(rivertype.JobStateDiscarded).
		OrderBy(river.JobListOrderByFinalizedAt, river.SortOrderDesc).First(failuresSummed))
	if err != nil {
		return nil, err
	}
	var all []GivenUp
	index, since := map[string]int{}, r.d.Now().Add(-failedIn)
	for _, row := range rows {
		if row.EndedAt == nil || row.EndedAt.Before(since) || row.Reason == Cut && r.periodic[row.Kind] {
			continue
		}
		i, known := index[row.Kind]
		if !known {
			i, index[row.Kind] = len(all), len(all)
			all = append(all, GivenUp{Kind: row.Kind, Last: *row.EndedAt})
		}
		all[i].Count++
	}
	return all, nil
}

// Retry runs a job again that was given up on; fault.NotFound if there is none. While periodic work of its kind waits
// or runs, that does the same. What has ended well since is not done twice.
func (r *Runner) Retry(ctx context.Context, id int64) error {
	job, err := r.client.JobGet(ctx, id)
	if err == nil && job.State != rivertype.JobStateCompleted {
		_, err = r.client.JobRetry(ctx, id)
	}
	switch {
	case errors.Is(err, river.ErrNotFound):
		return fault.New(fault.NotFound, "")
	case r.d.DB.AlreadyThere(err):
		return nil
	}
	return err
}

func (r *Runner) list(ctx context.Context, params *river.JobListParams) ([]Row, error) {
	found, err := r.client.JobList(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	rows := make([]Row, len(found.Jobs))
	for i, job := range found.Jobs {
		rows[i] = rowOf(job)
	}
	return rows, nil
}
