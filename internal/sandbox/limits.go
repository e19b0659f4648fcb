package sandbox

import (
	"bytes"
	"encoding/json"
	"time"
)

// limitWindow is the time the request limits count in.
const limitWindow = 10 * time.Minute

// limitOf returns how many requests of a method are allowed in the window, 0
// for no limit, section Limits.
func limitOf(c *call) (method string, most int) {
	switch c.endpoint {
	case "GetErrorCodeDescriptions", "GetCurrencies", "GetRegions", "GetCountries":
		return c.endpoint, 20
	case "LookupBills":
		return c.endpoint, 0
	case "SendTransfer":
		var body struct{ ValidateOnly bool }
		if !bytes.Contains(c.body, []byte("true")) {
			return c.endpoint, 0 // the usual case, without reading the body twice
		}
		if json.Unmarshal(c.body, &body) == nil && body.ValidateOnly {
			return "SendTransfer ValidateOnly", 100
		}
		return c.endpoint, 0
	}
	return c.endpoint, 50
}

// limits counts the requests of each method within the window.
type limits struct {
	calls    map[string][]time.Time
	exceeded map[string]int
}

func newLimits() *limits { return &limits{calls: map[string][]time.Time{}, exceeded: map[string]int{}} }

// reset forgives everything: a transfer succeeded.
func (l *limits) reset() { clear(l.calls) }

// take counts a call, or says how long until the next one is allowed.
func (l *limits) take(method string, most int, now time.Time) time.Duration {
	calls := l.calls[method]
	for len(calls) > 0 && !calls[0].After(now.Add(-limitWindow)) {
		calls = calls[1:]
	}
	if len(calls) >= most {
		l.calls[method] = calls
		l.exceeded[method]++
		return calls[0].Add(limitWindow).Sub(now)
	}
	l.calls[method] = append(calls, now)
	return 0
}

// overLimit counts a call. Beyond the limit it returns the seconds to wait and
// the HTTP status.
func (s *Service) overLimit(c *call) (seconds, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.config.Limits {
		return 0, 0
	}
	method, most := limitOf(c)
	if most == 0 {
		return 0, 0
	}
	wait := s.limits.take(method, most, s.clock.now())
	if wait == 0 {
		return 0, 0
	}
	return int((wait + time.Second - 1) / time.Second), s.config.LimitStatus
}
