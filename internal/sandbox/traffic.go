package sandbox

import (
	"net/http"
	"time"
)

// watched is how many calls are kept for the console.
const watched = 200

// seenCall is a call as the console shows it.
type seenCall struct {
	At          time.Time
	Endpoint    string
	Ref         string // DistributorRef
	Correlation string
	Status      int // HTTP; 0: no answer
	Took        time.Duration
}

// traffic is the latest calls, newest last.
type traffic struct {
	ring  [watched]seenCall
	count int
}

func (t *traffic) add(c seenCall) {
	t.ring[t.count%watched] = c
	t.count++
}

// latest returns the last calls, newest first.
func (t *traffic) latest(most int) []seenCall {
	var calls []seenCall
	for i := t.count - 1; i >= max(0, t.count-min(most, watched)); i-- {
		calls = append(calls, t.ring[i%watched])
	}
	return calls
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
		s.traffic.add(seenCall{At: s.clock.now(), Endpoint: e.name, Ref: c.ref, Status: writer.status,
			Correlation: r.Header.Get("X-Correlation-Id"), Took: s.deps.Now().Sub(began)})
	}()
	s.serve(writer, c, e)
}
