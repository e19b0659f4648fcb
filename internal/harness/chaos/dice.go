package chaos

import (
	"math/rand/v2"
	"sync"
)

// dice are thrown by several at once. What each of them gets then depends on who
// comes first; what can come does not.
type dice struct {
	mu  sync.Mutex
	rng *rand.Rand
}

func newDice(seed, stream uint64) *dice {
	return &dice{rng: rand.New(rand.NewPCG(seed, stream))} //nolint:gosec // reproducible on purpose
}

// below returns a number from 0 up to, and not including, n.
func (d *dice) below(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rng.IntN(n)
}

// oneIn says yes once in so many times.
func (d *dice) oneIn(n int) bool { return d.below(n) == 0 }
