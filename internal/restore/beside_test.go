package restore_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/jobs"
	"airtill/internal/restore"
	"airtill/internal/store"
)

// on returns the service of a world with the marks that processes of an installation share.
func (w *world) on(mark restore.Redis, process string) *restore.Service {
	deps := *w.Uses()
	deps.Marks = []restore.Mark{mark}
	deps.Presence = &restore.Presence{Client: mark.Client, Prefix: mark.Prefix, Process: process}
	return restore.New(deps)
}

// beats has a process beat as the app does.
func beats(t *testing.T, db *store.DB, s *restore.Service, process string) error {
	t.Helper()
	require.NoError(t, jobs.NewProcesses(db, process, time.Now).Beat(t.Context()))
	return s.Beat(t.Context())
}

// goesOn has a process beat until it is ended, and ended say how that went.
func goesOn(t *testing.T, s *restore.Service) (ended func() error) {
	t.Helper()
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				done <- nil
				return
			case <-time.After(100 * time.Millisecond):
			}
			if err := s.Beat(t.Context()); err != nil {
				done <- err
				return
			}
		}
	}()
	return func() error {
		close(stop)
		return <-done
	}
}

// TestACopyDoesNotStopTheOriginal: a copy that was made safe to sell with has a code that the original never had.
func TestACopyDoesNotStopTheOriginal(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		mark := inRedis(t)
		w := newWorld(t, db)
		original := w.on(mark, "original")
		require.NoError(t, original.Start(t.Context()))
		w.mustSell()
		code, err := store.One[string](db.Read(t.Context()).Raw("SELECT code FROM installations"), nil)
		require.NoError(t, err)
		t.Cleanup(func() {
			mark.Client.Del(context.WithoutCancel(t.Context()), mark.Prefix+"mark:"+code, mark.Prefix+"running:"+code)
		})
		require.NoError(t, beats(t, db, original, "original"))

		copied := storetest.Open(t, storetest.URL(t, db.Dialect()))
		c := newWorld(t, copied)
		require.NoError(t, copied.Exec(t.Context(), "INSERT INTO installations (code, since) VALUES (?, ?)", code, time.Now()))
		beside := c.on(mark, "copy")
		ended := goesOn(t, original)
		require.Equal(t, "restore.beside", fault.CodeOf(beside.Start(t.Context())))
		_, err = beside.Restored(t.Context(), audit.Command("test"))
		require.Equal(t, "restore.beside", fault.CodeOf(err), "%v", err)
		require.NoError(t, ended())

		require.NoError(t, w.on(mark, "next").Start(t.Context()), "killed and begun anew")
		forgotten := mark.Client.PExpire(t.Context(), mark.Prefix+"running:"+code, time.Second) // in ten
		require.NoError(t, forgotten.Err())
		_, err = beside.Restored(t.Context(), audit.Command("test"))
		require.NoError(t, err, "the original is lost, and this has taken its place")
		require.NoError(t, beside.Start(t.Context()))
	})
}
