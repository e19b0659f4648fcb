package frame

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"airtill/internal/fault"
	"airtill/internal/health"
)

const readyWithin = 2 * time.Second

// Alive is GET /healthz: this process answers. One that does not should be restarted; one that waits for its
// database should not.
func (s *Server) Alive(c *gin.Context) error {
	c.String(http.StatusOK, "ok\n")
	return nil
}

// Ready is GET /readyz: requests may be sent to this process.
func (s *Server) Ready(c *gin.Context) error {
	ctx, cancel := context.WithTimeout(c.Request.Context(), readyWithin)
	defer cancel()
	if err := s.D.Health.Ready(ctx); err != nil {
		return err
	}
	answer := "ready\n"
	switch err := s.D.Health.Redis(ctx); {
	case errors.Is(err, health.ErrRefused):
		answer = "ready, but Redis refuses what the till asks of it\n"
	case err != nil:
		answer = "ready, but Redis does not answer\n"
	}
	c.String(http.StatusOK, answer)
	return nil
}

// ExposeMetrics is GET /metrics, for clients with the token or, if none is set, on this machine.
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
	// equal lengths compare in constant time
	got, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.D.MetricsToken))
	return bearer && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}
