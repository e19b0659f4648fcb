// Package jobstest watches long work in tests.
package jobstest

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/jobs"
	"airtill/internal/store"
)

// Watcher is a board on which every step is long enough to be told of.
type Watcher struct {
	*jobs.Board

	t     *testing.T
	mu    sync.Mutex
	now   time.Time
	signs []jobs.Work
	cut   context.CancelFunc
	after int
}

// Watch returns a watcher with a clock of its own.
func Watch(t *testing.T, db *store.DB) *Watcher {
	t.Helper()
	w := &Watcher{t: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	w.Board = jobs.NewBoard(jobs.BoardDeps{DB: db, Now: w.step, Log: slog.New(slog.DiscardHandler)})
	w.OnSign(w.told)
	return w
}

func (w *Watcher) step() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(2 * time.Second)
	return w.now
}

func (w *Watcher) told(sign jobs.Work) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.signs = append(w.signs, sign)
	if w.cut != nil && len(w.signs) == w.after {
		w.cut()
	}
}

// CutAfter returns a context that is cancelled with the nth sign.
func (w *Watcher) CutAfter(n int) context.Context {
	ctx, cancel := context.WithCancel(w.t.Context())
	w.t.Cleanup(cancel)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.signs, w.cut, w.after = nil, cancel, n
	return ctx
}

// Moved requires that work of a kind gave at least that many signs and has left the board. It returns the signs,
// and begins to collect anew.
func (w *Watcher) Moved(kind jobs.WorkKind, times int) []jobs.Work {
	w.t.Helper()
	running, err := w.Running(w.t.Context())
	require.NoError(w.t, err)
	require.Empty(w.t, running, "work that ended is still on the board")
	w.mu.Lock()
	defer w.mu.Unlock()
	signs := w.signs
	w.signs, w.cut = nil, nil
	require.GreaterOrEqual(w.t, len(signs), times)
	for i, sign := range signs {
		require.Equal(w.t, kind, sign.Kind)
		if i > 0 && sign.ID == signs[i-1].ID {
			require.GreaterOrEqual(w.t, sign.Done, signs[i-1].Done)
		}
		if sign.Total > 0 {
			require.LessOrEqual(w.t, sign.Done, sign.Total)
		}
	}
	require.Greater(w.t, signs[len(signs)-1].Done, signs[0].Done, "it does not move")
	return signs
}
