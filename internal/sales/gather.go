package sales

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"airtill/internal/fault"
)

// gatherer does in one transaction what is asked for while the one before is under way. Nothing waits for
// others to come: a single one is served at once.
type gatherer[T, R any] struct {
	// all does some in one transaction, all or none, and returns each one's result.
	all func(context.Context, []T) ([]R, error)

	mu      sync.Mutex
	waiting []*gathered[T, R]
	busy    bool
}

const (
	gatheredMost   = 32               // at once: they lock as many sales
	gatheredWithin = 30 * time.Second // then the database counts as away
)

// gathered is one that waits for its turn.
type gathered[T, R any] struct {
	ask  T
	got  R
	err  error
	done chan struct{}
}

// do returns once the transaction with its request has committed or failed.
func (g *gatherer[T, R]) do(ctx context.Context, ask T) (R, error) {
	one := &gathered[T, R]{ask: ask, done: make(chan struct{})}
	g.mu.Lock()
	g.waiting = append(g.waiting, one)
	if !g.busy {
		g.busy = true
		go g.work(context.WithoutCancel(ctx)) // serves others too, so it outlives this caller
	}
	g.mu.Unlock()
	select {
	case <-one.done:
		return one.got, one.err
	case <-ctx.Done():
		var none R // its own is being written
		return none, ctx.Err()
	}
}

// work serves until nothing waits.
func (g *gatherer[T, R]) work(ctx context.Context) {
	for {
		g.mu.Lock()
		some := g.waiting[:min(gatheredMost, len(g.waiting))]
		g.waiting = g.waiting[len(some):]
		g.busy = len(some) > 0
		g.mu.Unlock()
		if len(some) == 0 {
			return
		}
		g.serve(ctx, some)
	}
}

// serve does some together. If one spoils it for the others, each is done alone.
func (g *gatherer[T, R]) serve(ctx context.Context, some []*gathered[T, R]) {
	asks := make([]T, len(some))
	for i, one := range some {
		asks[i] = one.ask
	}
	within, cancel := context.WithTimeout(ctx, gatheredWithin)
	defer cancel()
	got, err := g.together(within, asks)
	away := fault.KindOf(err) == fault.Unavailable || fault.KindOf(err) == fault.Unsure || within.Err() != nil
	switch {
	case err != nil && len(some) > 1 && !away:
		for i := range some {
			g.serve(ctx, some[i:i+1])
		}
		return
	case err == nil && len(got) != len(some):
		err = errors.New("not each was answered")
	}
	for i, one := range some {
		if one.err = err; err == nil {
			one.got = got[i]
		}
		close(one.done)
	}
}

// together lets a panic fail its requests, not the process.
func (g *gatherer[T, R]) together(ctx context.Context, asks []T) (got []R, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return g.all(ctx, asks)
}
