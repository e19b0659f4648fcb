package sandbox

import (
	"maps"
	"net/http"
	"time"
)

// watched is how many calls are kept.
const watched = 200

// Call is a call of the interface as GET /_sandbox/calls shows it.
type Call struct {
	At          time.Time `json:"at"` // simulated time
	Endpoint    string    `json:"endpoint"`
	Ref         string    `json:"ref,omitempty"` // DistributorRef
	Correlation string    `json:"correlationId,omitempty"`
	Status      int       `json:"status"` // HTTP; 0: no answer
	Took        Duration  `json:"took"`   // real time
}

// Calls is the answer of GET /_sandbox/calls: how often each method was called
// since the start or the last reset, how often it was over its limit, and the
// latest calls, newest first.
type Calls struct {
	Counts  map[string]int `json:"counts"`
	Limited map[string]int `json:"limited"`
	Latest  []Call         `json:"latest"`
}

// traffic remembers calls.
type traffic struct {
	ring   [watched]Call
	count  int
	counts map[string]int
}

func newTraffic() *traffic { return &traffic{counts: map[string]int{}} }

func (t *traffic) add(c Call) {
	t.ring[t.count%watched] = c
	t.count++
	t.counts[c.Endpoint]++
}

// latest returns the last calls, newest first.
func (t *traffic) latest(most int) []Call {
	calls := []Call{}
	for i := t.count - 1; i >= max(0, t.count-min(most, watched)); i-- {
		calls = append(calls, t.ring[i%watched])
	}
	return calls
}

func (s *Service) getCalls(w http.ResponseWriter, _ *http.Request) { s.write(w, answer(s.calls())) }

func (s *Service) calls() Calls {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Calls{Counts: maps.Clone(s.traffic.counts), Limited: maps.Clone(s.limits.exceeded), Latest: s.traffic.latest(watched)}
}

// statusWriter remembers the status that was written.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the status and passes it on.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// watch serves a call and keeps a note of it, also of one whose connection was
// broken on purpose.
func (s *Service) watch(w http.ResponseWriter, r *http.Request, e endpoint) {
	began, writer := s.deps.Now(), &statusWriter{ResponseWriter: w}
	c := &call{endpoint: e.name, request: r, refuse: e.refuse}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.traffic.add(Call{
			At: s.clock.now(), Endpoint: e.name, Ref: c.ref, Status: writer.status,
			Correlation: r.Header.Get("X-Correlation-Id"), Took: Duration(s.deps.Now().Sub(began)),
		})
	}()
	s.serve(writer, c, e)
}
