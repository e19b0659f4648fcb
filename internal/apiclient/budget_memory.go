package apiclient

import (
	"context"
	"sync"
	"time"
)

// MemoryBudget is the Budget of a single process: a log of call times.
type MemoryBudget struct {
	now     func() time.Time
	mu      sync.Mutex
	calls   map[string][]madeCall // by method, oldest first
	refused map[string]time.Time  // by method, the end of the service's refusal
}

type madeCall struct {
	at time.Time
	id string // by which Redis knows it; "": it does not
}

// NewMemoryBudget returns an unused budget.
func NewMemoryBudget(now func() time.Time) *MemoryBudget {
	return &MemoryBudget{now: now, calls: map[string][]madeCall{}, refused: map[string]time.Time{}}
}

// Take implements Budget. It never fails.
func (b *MemoryBudget) Take(_ context.Context, method string, p Priority) (time.Duration, error) {
	if _, limited := budgetLimits[method]; !limited {
		return 0, nil
	}
	return b.take(method, p.share(method), ""), nil
}

func (b *MemoryBudget) take(method string, allowed int, id string) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if until := b.refused[method]; until.After(now) {
		return until.Sub(now)
	}
	calls := b.drop(method, now.Add(-budgetWindow))
	if len(calls) >= allowed {
		return max(calls[len(calls)-allowed].at.Add(budgetWindow).Sub(now), 1)
	}
	b.calls[method] = append(calls, madeCall{now, id})
	return 0
}

// drop forgets the calls made before a time. b.mu is held.
func (b *MemoryBudget) drop(method string, before time.Time) []madeCall {
	calls := b.calls[method]
	for len(calls) > 0 && calls[0].at.Before(before) {
		calls = calls[1:]
	}
	b.calls[method] = calls
	return calls
}

// Reset implements Budget. It never fails.
func (b *MemoryBudget) Reset(_ context.Context, age time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for method := range b.calls {
		b.drop(method, b.now().Add(-age))
	}
	clear(b.refused)
	return nil
}

// Refuse implements Budget. It never fails.
func (b *MemoryBudget) Refuse(_ context.Context, method string, wait time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if until := b.now().Add(wait); until.After(b.refused[method]) {
		b.refused[method] = until
	}
	return nil
}

// Used implements Budget. It never fails.
func (b *MemoryBudget) Used(context.Context) (map[string]Usage, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	used := make(map[string]Usage, len(budgetLimits))
	for method, limit := range budgetLimits {
		used[method] = Usage{Used: len(b.drop(method, b.now().Add(-budgetWindow))), Limit: limit}
	}
	return used, nil
}
