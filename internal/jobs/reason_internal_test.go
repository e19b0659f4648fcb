package jobs

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// TestTheReasonOfAJobIsOfItsLastTry: what failed before a try that runs or went well is no longer why.
func TestTheReasonOfAJobIsOfItsLastTry(t *testing.T) {
	t.Parallel()
	first, second := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), time.Date(2026, 3, 1, 12, 5, 0, 0, time.UTC)
	failed := func(attempt int, at time.Time, text string) rivertype.AttemptError {
		return rivertype.AttemptError{Attempt: attempt, At: at, Error: text}
	}
	for name, rule := range map[string]struct {
		row       rivertype.JobRow
		reason    Reason
		technical string
		at        time.Time
	}{
		"one that waits for its first try": {row: rivertype.JobRow{State: rivertype.JobStateAvailable}},
		"one that went well":               {row: rivertype.JobRow{State: rivertype.JobStateCompleted, Attempt: 1, FinalizedAt: &first}, at: first},
		"one with a reason": {
			row:    rivertype.JobRow{State: rivertype.JobStateRetryable, Attempt: 1, Errors: []rivertype.AttemptError{failed(1, first, "[timedOut] read: [3] late")}},
			reason: TimedOut, technical: "read: [3] late", at: first,
		},
		"one with the code of a fault": {
			row:    rivertype.JobRow{State: rivertype.JobStateDiscarded, Attempt: 1, Errors: []rivertype.AttemptError{failed(1, first, "[alert.no-answer] x")}},
			reason: "alert.no-answer", technical: "x", at: first,
		},
		"one that panicked": {
			row:    rivertype.JobRow{State: rivertype.JobStateDiscarded, Attempt: 1, Errors: []rivertype.AttemptError{failed(1, first, "index out of range")}},
			reason: InLog, technical: "index out of range", at: first,
		},
		"brackets that are no reason": {
			row:    rivertype.JobRow{State: rivertype.JobStateDiscarded, Attempt: 1, Errors: []rivertype.AttemptError{failed(1, first, "[::1] refused")}},
			reason: InLog, technical: "[::1] refused", at: first,
		},
		"a reason within the text": {
			row:    rivertype.JobRow{State: rivertype.JobStateDiscarded, Attempt: 1, Errors: []rivertype.AttemptError{failed(1, first, "said [busy] twice")}},
			reason: InLog, technical: "said [busy] twice", at: first,
		},
		"the second try failed": {
			row: rivertype.JobRow{State: rivertype.JobStateDiscarded, Attempt: 2, FinalizedAt: &second, Errors: []rivertype.AttemptError{
				failed(1, first, "[busy] one"), failed(2, second, "[refused] two"),
			}},
			reason: Refused, technical: "two", at: second,
		},
		"the second try runs": {
			row: rivertype.JobRow{State: rivertype.JobStateRunning, Attempt: 2, Errors: []rivertype.AttemptError{failed(1, first, "[busy] one")}},
		},
		"the second try went well": {
			row: rivertype.JobRow{State: rivertype.JobStateCompleted, Attempt: 2, FinalizedAt: &second, Errors: []rivertype.AttemptError{failed(1, first, "[busy] one")}},
			at:  second,
		},
		"the second try was cut off with its process": {
			row:    rivertype.JobRow{State: rivertype.JobStateDiscarded, Attempt: 2, FinalizedAt: &second, Errors: []rivertype.AttemptError{failed(1, first, "[busy] one")}},
			reason: Cut, at: second,
		},
		"one called off": {row: rivertype.JobRow{State: rivertype.JobStateCancelled, FinalizedAt: &second}, reason: Stopped, at: second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reason, technical, at := why(&rule.row)
			require.Equal(t, rule.reason, reason)
			require.Equal(t, rule.technical, technical)
			require.Equal(t, rule.at, at)
		})
	}
}

// TestEveryReasonIsReadBack as it was stored with the text of its error, the codes of faults among them.
func TestEveryReasonIsReadBack(t *testing.T) {
	t.Parallel()
	for _, reason := range []Reason{
		Database, Service, Refused, Busy, TimedOut, Stopped, Cut, InLog, "alert.no-answer", "upstream.no-answer", "sale.none",
	} {
		stored := (&failure{reason, errors.New("read\nrows")}).Error()
		read, technical, _ := why(&rivertype.JobRow{Attempt: 1, Errors: []rivertype.AttemptError{{Attempt: 1, Error: stored}}})
		require.Equal(t, reason, read)
		require.Equal(t, "read\nrows", technical, reason)
	}
}

// TestTheTimeOutOfAJobIsToldFromOthers: an error that names a deadline is no time-out of the job while its own
// time is not up, and one that is up says so whatever failed of it.
func TestTheTimeOutOfAJobIsToldFromOthers(t *testing.T) {
	t.Parallel()
	up, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	r := &Runner{d: Deps{Upstream: func(err error) Reason {
		if fault.KindOf(err) == fault.Conflict {
			return Busy
		}
		return ""
	}}}
	for name, rule := range map[string]struct {
		ctx  context.Context //nolint:containedctx // one of the cases
		err  error
		want Reason
	}{
		"another's deadline":           {t.Context(), fault.Doing("dial", context.DeadlineExceeded), InLog},
		"its own":                      {up, errors.New("read: closed"), TimedOut},
		"its own, told as a fault":     {up, fault.New(fault.Conflict, "sale.none"), TimedOut},
		"its process stops":            {stopped, fault.Doing("read", context.Canceled), Stopped},
		"failed while it stops":        {stopped, fault.New(fault.NotFound, "sale.none"), "sale.none"},
		"the upstream before the code": {t.Context(), fault.New(fault.Conflict, "sale.none"), Busy},
		"a fault with what fills it":   {t.Context(), fault.New(fault.NotFound, "product.none", "X"), InLog},
		"the database":                 {t.Context(), fault.Doing("read", store.Unsure(io.EOF)), Database},
		"a fault without a code":       {t.Context(), fault.Worded("cash", "Too much."), InLog},
	} {
		err := r.failed(rule.ctx, rule.err)
		var f *failure
		require.ErrorAs(t, err, &f, name)
		require.Equal(t, rule.want, f.reason, name)
		require.ErrorIs(t, err, rule.err, name)
	}
	require.NoError(t, r.failed(up, nil), "what went well within its last moment went well")
	require.Equal(t, Reason("sale.none"), (&Runner{}).reason(t.Context(), fault.New(fault.Conflict, "sale.none")), "no job asks the upstream")
}

// TestWorkIsDueUnlessItIsKnownNotToBe, and the question ends with the runner.
func TestWorkIsDueUnlessItIsKnownNotToBe(t *testing.T) {
	t.Parallel()
	says := func(due bool, err error) Periodic {
		return Periodic{Due: func(context.Context) (bool, error) { return due, err }}
	}
	require.True(t, Periodic{}.due(t.Context()))
	require.True(t, says(true, nil).due(t.Context()))
	require.True(t, says(false, errors.New("away")).due(t.Context()))
	require.False(t, says(false, nil).due(t.Context()))
	ended, end := context.WithCancel(t.Context())
	end()
	asked := Periodic{Due: func(ctx context.Context) (bool, error) {
		until, bounded := ctx.Deadline()
		require.True(t, bounded, "a database that does not answer holds up no other work")
		require.LessOrEqual(t, time.Until(until), dueWithin)
		return false, ctx.Err()
	}}
	require.False(t, asked.due(t.Context()))
	require.True(t, asked.due(ended))
}

// TestWorkIsSilentAfterFiveMinutes without a sign, not at the fifth.
func TestWorkIsSilentAfterFiveMinutes(t *testing.T) {
	t.Parallel()
	w := Work{SeenAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	require.False(t, w.Silent(w.SeenAt))
	require.False(t, w.Silent(w.SeenAt.Add(5*time.Minute)))
	require.True(t, w.Silent(w.SeenAt.Add(5*time.Minute+time.Microsecond)))
	require.False(t, w.Silent(w.SeenAt.Add(-time.Hour)), "another process's clock is ahead")
}
