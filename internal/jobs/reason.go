package jobs

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/riverqueue/river/rivertype"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// Reason is why a try of a job failed, by what a person can do about it: one of these, or the code of a fault.
type Reason string

// The reasons that are no faults.
const (
	Database Reason = "database" // it did not answer
	Service  Reason = "service"  // the upstream did not answer
	Refused  Reason = "refused"  // the upstream did not do what was asked
	Busy     Reason = "busy"     // the upstream was asked too often
	TimedOut Reason = "timedOut" // it took longer than such a job may
	Stopped  Reason = "stopped"  // it was cancelled, as when its process is stopped
	Cut      Reason = "cut"      // its process ended in the middle
	InLog    Reason = "inLog"    // anything else
)

// failure is an error with its reason. River stores only the text of an error, so the reason begins it.
type failure struct {
	reason Reason
	err    error
}

// Error is the reason in brackets and the text of the error.
func (f *failure) Error() string { return "[" + string(f.reason) + "] " + f.err.Error() }

// Unwrap returns the error.
func (f *failure) Unwrap() error { return f.err }

// failed gives the error of a try its reason; nil stays nil.
func (r *Runner) failed(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	return &failure{r.reason(ctx, err), err}
}

func (r *Runner) reason(ctx context.Context, err error) Reason {
	var f *fault.Error
	errors.As(store.Explain(err, false), &f)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return TimedOut
	case errors.Is(err, context.Canceled):
		return Stopped
	case f != nil && strings.HasPrefix(f.Code, "database."):
		return Database
	}
	if r.d.Upstream != nil {
		if reason := r.d.Upstream(err); reason != "" {
			return reason
		}
	}
	if f != nil && f.Code != "" && len(f.Args) == 0 {
		return Reason(f.Code)
	}
	return InLog
}

var begun = regexp.MustCompile(`^\[([a-zA-Z.-]+)\] `)

// why reads the reason of a job's last try, the technical text of its error, and when it failed; "" of a try that
// did not fail.
func why(j *rivertype.JobRow) (reason Reason, technical string, at time.Time) {
	if n := len(j.Errors); n > 0 && j.Errors[n-1].Attempt >= j.Attempt {
		last := j.Errors[n-1]
		if match := begun.FindStringSubmatch(last.Error); match != nil {
			return Reason(match[1]), last.Error[len(match[0]):], last.At
		}
		return InLog, last.Error, last.At
	}
	if j.FinalizedAt != nil {
		at = *j.FinalizedAt
	}
	switch j.State { //nolint:exhaustive // the others have not failed
	case rivertype.JobStateDiscarded:
		return Cut, "", at
	case rivertype.JobStateCancelled:
		return Stopped, "", at
	}
	return "", "", at
}
