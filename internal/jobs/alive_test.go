package jobs_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/jobs"
	"airtill/internal/store"
)

// processRows are the ids in the table of processes.
func processRows(t *testing.T, db *store.DB) []string {
	t.Helper()
	ids, err := store.All[string](db.Read(t.Context()).Table("processes").Select("id").Order("id"))
	require.NoError(t, err)
	return ids
}

// seen has a process have beaten last at a time.
func seen(t *testing.T, db *store.DB, id string, at time.Time) {
	t.Helper()
	require.NoError(t, db.Exec(t.Context(), `INSERT INTO processes (id, seen_at) VALUES (?, ?)
		ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`, id, store.Moment(at)))
}

// TestTheDeadAreDeletedAfterAWeek, at most once an hour, and never the process itself.
func TestTheDeadAreDeletedAfterAWeek(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		now := time.Now()
		p := jobs.NewProcesses(db, "here", func() time.Time { return now })
		seen(t, db, "long dead", now.Add(-7*24*time.Hour-time.Second))
		seen(t, db, "dead", now.Add(-7*24*time.Hour+time.Minute))
		require.NoError(t, p.Beat(t.Context()))
		require.Equal(t, []string{"dead", "here"}, processRows(t, db))

		now = now.Add(time.Hour)
		require.NoError(t, p.Beat(t.Context()))
		require.Equal(t, []string{"dead", "here"}, processRows(t, db), "looked for once an hour, not at every beat")
		now = now.Add(time.Second)
		require.NoError(t, p.Beat(t.Context()))
		require.Equal(t, []string{"here"}, processRows(t, db))

		now = now.Add(30 * 24 * time.Hour) // its own clock is a month ahead
		require.NoError(t, p.Beat(t.Context()))
		require.NoError(t, p.Beat(t.Context()))
		require.Equal(t, []string{"here"}, processRows(t, db), "a beat brings back what a wrong clock deleted")
	})
}

// TestAliveAreThoseThatBeatLately by the database's clock, and this process whether it has beaten or not. In a file
// no other can be.
func TestAliveAreThoseThatBeatLately(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		p := jobs.NewProcesses(db, "here", func() time.Time { return time.Now().Add(time.Hour) })
		alive := func() []string {
			ids, err := store.All[string](p.Alive(db.Read(t.Context())).Order("id"))
			require.NoError(t, err)
			return ids
		}
		require.Empty(t, alive())
		running, err := jobs.Running(t.Context(), db)
		require.NoError(t, err)
		require.False(t, running)

		require.NoError(t, jobs.NewProcesses(db, "there", time.Now).Beat(t.Context()))
		seen(t, db, "gone", time.Now().Add(-2*jobs.AliveFor*time.Second))
		seen(t, db, "here", time.Now().Add(-time.Hour))
		want := []string{"here", "there"}
		if db.Alone() {
			want = []string{"here"}
		}
		require.Equal(t, want, alive())
	})
}

// TestWorkOnTheBoardSaysWhoAskedForIt, the longest first, and work that ends before its first sign writes nothing.
func TestWorkOnTheBoardSaysWhoAskedForIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		now := began
		b := jobs.NewBoard(jobs.BoardDeps{DB: db, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)})
		export := b.Begin(jobs.Export, "sales", 0).For("user-1")
		now = now.Add(time.Second)
		verify := b.Begin(jobs.Verify, "", 7)
		quick := b.Begin(jobs.Rollups, "", 1)
		quick.At(t.Context(), "January", 1)
		verify.At(t.Context(), "I1", 0)
		now = now.Add(time.Second)
		verify.At(t.Context(), "I2", 1)
		export.At(t.Context(), "sales of March", 10_000)
		running, err := b.Running(t.Context())
		require.NoError(t, err)
		require.Len(t, running, 2)
		require.Equal(t, jobs.Work{
			ID: running[0].ID, Kind: jobs.Export, Detail: "sales of March", AskedBy: "user-1", Done: 10_000, StartedAt: began, SeenAt: now,
		}, running[0])
		require.Equal(t, jobs.Work{
			ID: running[1].ID, Kind: jobs.Verify, Detail: "I2", Done: 1, Total: 7, StartedAt: began.Add(time.Second), SeenAt: now,
		}, running[1], "a sign a second after it began")
		require.NotEqual(t, running[0].ID, running[1].ID)

		quick.End(t.Context())
		export.End(t.Context())
		running, err = b.Running(t.Context())
		require.NoError(t, err)
		require.Len(t, running, 1, "the end of one takes no other away")

		var none *jobs.Board
		require.Nil(t, none.Begin(jobs.Export, "", 0).For("user-1"))
		running, err = none.Running(t.Context())
		require.NoError(t, err)
		require.Empty(t, running)
	})
}
