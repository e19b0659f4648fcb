package frame

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"airtill/internal/fault"
)

const readyWithin = 2 * time.Second

// readiness remembers that the schema was found current, which then stays so:
// only a newer program changes it.
type readiness struct{ migrated atomic.Bool }

// Alive is GET /healthz: this process answers. A process that does not should
// be restarted; one that waits for its database should not.
func (s *Server) Alive(c *gin.Context) error {
	c.String(http.StatusOK, "ok\n")
	return nil
}

// Ready is GET /readyz: requests may be sent to this process.
func (s *Server) Ready(c *gin.Context) error {
	ctx, cancel := context.WithTimeout(c.Request.Context(), readyWithin)
	defer cancel()
	for _, part := range []struct {
		name  string
		check func(context.Context) error
	}{{"database", s.D.DB.Ping}, {"database takes no writes", s.Writes}, {"schema", s.migrated}, {"till", s.whatElse}} {
		if err := part.check(ctx); err != nil {
			return &fault.Error{Kind: fault.Unavailable, Message: "not ready: " + part.name, Err: err}
		}
	}
	answer := "ready\n"
	if s.D.Redis != nil && s.D.Redis(ctx) != nil {
		// All processes share it: were they not ready, nobody would sell.
		answer = "ready, but Redis does not answer\n"
	}
	c.String(http.StatusOK, answer)
	return nil
}

func (s *Server) migrated(ctx context.Context) error {
	if s.readiness.migrated.Load() {
		return nil
	}
	pending, err := s.D.DB.Pending(ctx)
	if err != nil {
		return err
	}
	if pending {
		return errors.New("the schema is older than this program: run web migrate")
	}
	s.readiness.migrated.Store(true)
	return nil
}

// Writes returns why the database takes down nothing, nil if it does.
func (s *Server) Writes(ctx context.Context) error {
	if s.D.Writes == nil {
		return nil
	}
	return s.D.Writes(ctx)
}

func (s *Server) whatElse(ctx context.Context) error {
	if s.D.Ready == nil {
		return nil
	}
	return s.D.Ready(ctx)
}

// ExposeMetrics is GET /metrics, for whoever has the token or, where none is
// set, for this machine alone.
func (s *Server) ExposeMetrics(c *gin.Context) error {
	if !s.mayScrape(c.Request) {
		return fault.New(fault.NotFound, "")
	}
	promhttp.HandlerFor(s.D.Metrics, promhttp.HandlerOpts{}).ServeHTTP(c.Writer, c.Request)
	return nil
}

func (s *Server) mayScrape(r *http.Request) bool {
	if s.D.MetricsToken == "" {
		return fromLoopback(r)
	}
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.D.MetricsToken)) // equal lengths compare in constant time
	return bearer && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}
