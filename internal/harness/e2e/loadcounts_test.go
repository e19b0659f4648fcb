//go:build e2e && security

package e2e

import (
	"sync"
	"sync/atomic"
)

// plan is what the attackers know: names, an address, and sessions of their own.
type plan struct {
	Address  string // host and port
	Kid      string // of the key that signs webhooks now
	Sessions []string
	Names    []string
}

// fired is what the floods have done since they were told to go.
type fired struct {
	Seconds                         float64
	Idle, Headers, Readers, Streams held
	Hooks, Guesses                  map[string]int64 // by status; "none": no answer
	Waiting                         int64            // the most guesses at once without an answer
}

// rate is how many of some answers came a second.
func (f fired) rate(answers map[string]int64) float64 {
	var all int64
	for _, n := range answers {
		all += n
	}
	return float64(all) / f.Seconds
}

// held counts connections of a kind that are meant to stay.
type held struct {
	Opened, Ended, Refused int64 // Ended: by the till; Refused: answered otherwise, or not let in
	Least, Most            int64 // open at once
}

// holder is held while it changes.
type holder struct {
	opened, ended, refused, open, least, most atomic.Int64
}

func (h *holder) sample() {
	open := h.open.Load()
	h.least.Store(min(h.least.Load(), open))
	h.most.Store(max(h.most.Load(), open))
}

// begin forgets what was before the floods stood.
func (h *holder) begin() {
	for _, count := range []*atomic.Int64{&h.opened, &h.ended, &h.refused} {
		count.Store(0)
	}
	h.least.Store(h.open.Load())
	h.most.Store(h.open.Load())
}

func (h *holder) held() held {
	return held{
		Opened: h.opened.Load(), Ended: h.ended.Load(), Refused: h.refused.Load(),
		Least: h.least.Load(), Most: h.most.Load(),
	}
}

// answers counts by status.
type answers struct {
	mu sync.Mutex
	by map[string]int64
}

func (a *answers) add(status string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.by[status]++
}

// begin forgets what was before, and returns it.
func (a *answers) begin() map[string]int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.by
	a.by = map[string]int64{}
	return before
}
