package store

import (
	"cmp"
	"context"
	"sync"
)

// Epochs count changes to what seldom changes: the settings (prices, rates, limits, the shelf, people and
// places), and the shifts. Triggers count in the transaction of the change.
type Epochs struct{ Settings, Shifts int64 }

type epochsKey struct{}

// WithEpochs returns a context in which memories may answer: what they hold is as of these epochs, just read.
// It must not outlive a request.
func WithEpochs(ctx context.Context, e Epochs) context.Context {
	return context.WithValue(ctx, epochsKey{}, e)
}

// OfShifts is the epoch of memories of shifts.
func OfShifts(e Epochs) int64 { return e.Shifts }

// Memory holds what seldom changes, by key, as of an epoch. The zero value is empty; it is safe for concurrent
// use.
type Memory[K comparable, V any] struct {
	Of   func(Epochs) int64 // which epoch it goes by; nil: settings
	Most int                // how many answers it holds before it is emptied; 0: 10,000

	mu    sync.Mutex
	epoch int64
	held  map[K]V
}

// memoryMost bounds a memory that says nothing else.
const memoryMost = 10_000

// Get returns what is held under a key, or asks. In a context without epochs it always asks. The result is
// shared: nobody may alter it.
func (m *Memory[K, V]) Get(ctx context.Context, key K, ask func(context.Context) (V, error)) (V, error) {
	return m.GetIf(ctx, key, func(V) bool { return true }, ask)
}

// GetIf is Get where an answer may be old for other reasons: one that does not hold is asked for anew.
func (m *Memory[K, V]) GetIf(
	ctx context.Context, key K, holds func(V) bool, ask func(context.Context) (V, error),
) (V, error) {
	epochs, known := ctx.Value(epochsKey{}).(Epochs)
	if !known {
		return ask(ctx)
	}
	epoch := epochs.Settings
	if m.Of != nil {
		epoch = m.Of(epochs)
	}
	if v, ok := m.look(key, epoch); ok && holds(v) {
		return v, nil
	}
	v, err := ask(ctx)
	if err != nil {
		return v, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	// An epoch is counted in the transaction of the change, so what was read after it has at least that
	// change. A slower request of an older epoch tells nothing.
	if epoch > m.epoch || m.held == nil || len(m.held) >= cmp.Or(m.Most, memoryMost) {
		m.epoch, m.held = max(epoch, m.epoch), map[K]V{}
	}
	if epoch == m.epoch {
		m.held[key] = v
	}
	return v, nil
}

func (m *Memory[K, V]) look(key K, epoch int64) (v V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if epoch == m.epoch {
		v, ok = m.held[key]
	}
	return v, ok
}
