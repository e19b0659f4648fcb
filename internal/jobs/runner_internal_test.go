package jobs

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"
)

func TestAJobThatAStopCutsOffHasNotFailed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cause         error
		want, outcome string
	}{
		{errors.New("stop initiated"), "level=WARN msg=job.stopped", "stopped"},
		{river.ErrJobCancelledRemotely, "level=ERROR msg=job.failed", "failed"},
	} {
		var log bytes.Buffer
		w := newWatch(Deps{Metrics: prometheus.NewRegistry(), Log: slog.New(slog.NewTextHandler(&log, nil)), Now: time.Now}, nil)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(c.cause)
		require.ErrorIs(t, w.Work(ctx, &rivertype.JobRow{}, func(ctx context.Context) error { return ctx.Err() }), context.Canceled)
		require.Contains(t, log.String(), c.want)
		require.True(t, w.seconds.DeleteLabelValues("", c.outcome), "the metric's outcome")
	}
}

// TestAStopIsNoFault: what River began and a stop cut short is in no log, and what failed is.
func TestAStopIsNoFault(t *testing.T) {
	t.Parallel()
	var written bytes.Buffer
	log := slog.New(warnings{slog.NewTextHandler(&written, nil)})
	ended, end := context.WithCancel(t.Context())
	end()
	log.ErrorContext(ended, "Error inserting periodic jobs")
	require.Empty(t, written.String())
	log.WarnContext(ended, "Soft stop timeout")
	log.ErrorContext(t.Context(), "Error fetching jobs")
	require.Contains(t, written.String(), "Soft stop timeout")
	require.Contains(t, written.String(), "Error fetching jobs")
}
