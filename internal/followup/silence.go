package followup

import (
	"errors"
	"sync"
	"time"

	"airtill/internal/apiclient"
)

// The pause after a list that did not answer: short at first, since a cashier may be waiting, then longer.
const (
	firstSilence = 2 * time.Second
	mostSilence  = 30 * time.Second
)

// silence holds look-ups back while the list does not answer. Every call counts against the upstream's limit,
// even a lost one: if each open sale were looked up all the same, nothing would be left when the list is back.
type silence struct {
	mu    sync.Mutex
	times int // failures in a row
	until time.Time
}

// heard notes how a call ended.
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
