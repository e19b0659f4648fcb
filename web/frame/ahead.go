package frame

import (
	"net/http"
	"sync"
)

// Seen is where somebody was at their last request. It decides nothing: what is foreseen from it is asked
// again if they are elsewhere now.
type Seen struct {
	Shop, Country, Till string
	Everywhere          bool // they see the sales of every shop
	Practice            bool
}

// sightings are the last requests of sessions, by token.
type sightings struct {
	mu   sync.Mutex
	last map[string]Seen
}

const sightingsMost = 10_000 // emptied when full

func (s *sightings) note(token string, seen Seen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || len(s.last) >= sightingsMost {
		s.last = map[string]Seen{}
	}
	s.last[token] = seen
}

func (s *sightings) of(token string) (Seen, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen, ok := s.last[token]
	return seen, ok
}

// foreseen is what a page is likely to ask, to be asked together with who is there.
func (s *Server) foreseen(x *exchange, token string) []Asked {
	if x == nil || s.Ahead == nil || x.form == nil && x.request.Method != http.MethodGet ||
		partial(x.request) {
		return nil
	}
	form := x.form
	if form == nil {
		form = x.request.URL.Query()
	}
	seen, ok := s.seen.of(token)
	if !ok {
		return nil
	}
	asked := s.Ahead(x.request.URL.Path, form, seen)
	if len(asked) > 0 && seen.Till != "" {
		asked = append(asked, s.D.Sales.AskTray(seen.Till, seen.Practice))
	}
	return asked
}
