package jobs

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// ahead is a machine whose clock is an hour ahead of the database's, or was when the process began.
type ahead struct{}

func (ahead) Now() time.Time       { return time.Now().Add(time.Hour) }
func (ahead) NowOrNil() *time.Time { return nil }

func testDeps(db *store.DB) Deps {
	return Deps{
		DB: db, Process: "test", Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}
}

// TestAWrongClockDelaysNoJob: River stamps periodic work with the clock of the process, and goes on counting from there
// when the clock is set right. A sweep ran an hour late, and so did each after it.
func TestAWrongClockDelaysNoJob(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		d, ran := testDeps(db), make(chan struct{}, 9)
		d.clock = ahead{}
		r, err := New(d, Periodic{Kind: "test.often", Every: 50 * time.Millisecond, Do: func(context.Context) error {
			ran <- struct{}{}
			return nil
		}})
		require.NoError(t, err)
		require.NoError(t, r.Start(t.Context()))
		t.Cleanup(func() { require.NoError(t, r.Stop(context.WithoutCancel(t.Context()))) })
		for range 3 {
			select {
			case <-ran:
			case <-time.After(20 * time.Second):
				t.Fatal("it waits for the hour to pass")
			}
		}
	})
}

// TestWhatAWrongClockLeftBehindIsPutRight: a job that waits for an hour that will come again, which no other of its
// kind passes, and a leader whose term lasts as long, without whom there is no periodic work.
func TestWhatAWrongClockLeftBehindIsPutRight(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ran, again := make(chan struct{}, 9), make(chan struct{}, 9)
		r, err := New(testDeps(db), Periodic{Kind: "test.late", Every: time.Hour, Do: func(context.Context) error {
			ran <- struct{}{}
			return nil
		}}, Periodic{Kind: "test.led", Every: time.Hour, Do: func(context.Context) error {
			again <- struct{}{}
			return nil
		}})
		require.NoError(t, err)
		require.NoError(t, r.Run(t.Context(), "test.late"))
		require.NoError(t, db.Exec(t.Context(), "UPDATE river_job SET scheduled_at = ?", inAnHour(db)))
		require.NoError(t, db.Exec(t.Context(),
			"INSERT INTO river_leader (leader_id, elected_at, expires_at) VALUES ('gone', ?, ?)", inAnHour(db), inAnHour(db)))
		p := NewProcesses(db, "test", time.Now)
		require.NoError(t, p.Beat(t.Context()))
		require.NoError(t, r.Start(t.Context()))
		t.Cleanup(func() { require.NoError(t, r.Stop(context.WithoutCancel(t.Context()))) })
		for what, done := range map[string]chan struct{}{"the job": ran, "what a leader begins": again} {
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Fatal(what, "waits for the hour to pass")
			}
		}

		require.NoError(t, db.Exec(t.Context(), "UPDATE river_leader SET expires_at = ?", inAnHour(db)))
		for range putRightEvery {
			require.NoError(t, p.Beat(t.Context()))
		}
		left, err := store.One[int](db.Read(t.Context()).Table("river_leader").
			Select("COUNT(*)").Where("expires_at >= ?", inAnHour(db)), nil)
		require.NoError(t, err)
		require.Zero(t, left, "now and then it is looked for again")
	})
}

// inAnHour is a moment as River stores it; a few seconds less, so that what is an hour ahead is not before it.
func inAnHour(db *store.DB) any {
	at := time.Now().UTC().Add(time.Hour - 5*time.Second)
	if db.Dialect() == store.SQLite {
		return at.Format("2006-01-02 15:04:05.000")
	}
	return at
}
