package followup

import (
	"errors"
	"sync"
	"time"

	"airtill/internal/apiclient"
)

// The pause after a list that did not answer: at first little, since a cashier
// may be waiting, then more.
const (
	firstSilence = 2 * time.Second
	mostSilence  = 30 * time.Second
)

// silence keeps look-ups back while the list does not answer. Every call counts
// against the upstream's limit, also one that is lost: were each open sale asked
// for all the same, nothing of the limit would be left when the list is back.
type silence struct {
	mu    sync.Mutex
	times int // how often in a row there was no answer
	until time.Time
}

// heard takes note of how a call ended.
func (s *silence) heard(err error, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var upstream *apiclient.Error
	switch {
	case err == nil, errors.As(err, &upstream) && upstream.ResultCode != 0:
		s.times, s.until = 0, time.Time{}
	case errors.Is(err, apiclient.ErrBudget): // nobody was asked
	default:
		s.until = now.Add(min(firstSilence<<min(s.times, 10), mostSilence))
		s.times++
	}
}

// lasts says whether nobody should be asked now.
func (s *silence) lasts(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Before(s.until)
}
