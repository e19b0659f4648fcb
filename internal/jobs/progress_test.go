package jobs_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/jobs"
	"airtill/internal/store"
)

func TestLongWorkIsSeenWhileItRuns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		var told []int64
		b := jobs.NewBoard(jobs.BoardDeps{DB: db, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)})
		b.OnSign(func(w jobs.Work) { told = append(told, w.Done) })
		ctx, cancel := context.WithCancel(t.Context())
		running := func() []jobs.Work {
			all, err := b.Running(t.Context())
			require.NoError(t, err)
			return all
		}
		task := b.Begin(jobs.Verify, "", 7)
		task.At(ctx, "I3", 1)
		require.Empty(t, running(), "quick work gives no sign")
		now = now.Add(2 * time.Second)
		task.At(ctx, "I4", 2)
		now = now.Add(time.Millisecond)
		task.At(ctx, "I5", 3)
		all := running()
		require.Len(t, all, 1)
		require.Equal(t, []any{"I4", int64(2), int64(7)}, []any{all[0].Detail, all[0].Done, all[0].Total}, "a sign a second, not more")
		now = now.Add(time.Minute)
		task.At(ctx, "I6", 4)
		require.Equal(t, int64(4), running()[0].Done)
		require.Equal(t, []int64{2, 4}, told)

		left := b.Begin(jobs.Export, "", 0) // its process dies
		now = now.Add(time.Minute)
		left.At(ctx, "", 10)
		require.Len(t, running(), 2)
		cancel()
		task.End(ctx)
		require.Len(t, running(), 1, "also work that was called off is taken away")
		now = now.Add(25 * time.Hour)
		next := b.Begin(jobs.Rollups, "", 3)
		now = now.Add(time.Minute)
		next.At(t.Context(), "", 1)
		next.End(t.Context())
		require.Empty(t, running(), "what a dead process left is removed a day later")

		var none *jobs.Board
		none.Begin(jobs.Export, "", 0).At(t.Context(), "", 1)
		none.Begin(jobs.Export, "", 0).End(t.Context())
	})
}
