package apiclient_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// clock is a hand that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// service is an upstream that answers every call alike and keeps what it got.
type service struct {
	*httptest.Server
	mu       sync.Mutex
	requests []request
}

type request struct {
	*http.Request
	body string
}

func newService(t *testing.T, answer http.HandlerFunc) *service {
	t.Helper()
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			s.mu.Lock()
			s.requests = append(s.requests, request{r, string(body)})
			s.mu.Unlock()
		}
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) got() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]request(nil), s.requests...)
}

func (s *service) last(t *testing.T) request {
	t.Helper()
	got := s.got()
	require.NotEmpty(t, got)
	return got[len(got)-1]
}

// says answers with a status and a body.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func newClient(t *testing.T, base string, change ...func(*apiclient.Deps)) *apiclient.Client {
	t.Helper()
	deps := apiclient.Deps{BaseURL: base, APIKey: "key-canary", Now: newClock().now}
	for _, c := range change {
		c(&deps)
	}
	client, err := apiclient.New(deps)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}
