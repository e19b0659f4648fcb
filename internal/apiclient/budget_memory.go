package apiclient

import (
	"context"
	"sync"
	"time"
)

// MemoryBudget is the Budget of a single process: a log of the times of calls.
type MemoryBudget struct {
	now   func() time.Time
	mu    sync.Mutex
	calls map[string][]time.Time // by method, oldest first
}

// NewMemoryBudget returns an unused budget.
func NewMemoryBudget(now func() time.Time) *MemoryBudget {
	return &MemoryBudget{now: now, calls: map[string][]time.Time{}}
}

// Take implements Budget. It never fails.
func (b *MemoryBudget) Take(_ context.Context, method string, p Priority) (time.Duration, error) {
	limit, limited := budgetLimits[method]
	if !limited {
		return 0, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	calls := b.drop(method, now.Add(-budgetWindow))
	if allowed := p.share(limit); len(calls) >= allowed {
		return max(calls[len(calls)-allowed].Add(budgetWindow).Sub(now), 1), nil
	}
	b.calls[method] = append(calls, now)
	return 0, nil
}

// drop forgets the calls made before a time.
func (b *MemoryBudget) drop(method string, before time.Time) []time.Time {
	calls := b.calls[method]
	for len(calls) > 0 && calls[0].Before(before) {
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
