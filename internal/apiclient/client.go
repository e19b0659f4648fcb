package apiclient

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"airtill/internal/dial"
)

// Deps is what a Client needs: the service's address and either an APIKey or
// ClientID, ClientSecret and AuthURL.
type Deps struct {
	BaseURL      string // the part before /api/V1/
	AuthURL      string // the part before /connect/token
	APIKey       string
	ClientID     string
	ClientSecret string

	Budget  Budget                // nil: a memory budget of this client's own
	Metrics prometheus.Registerer // nil: none
	Log     *slog.Logger          // nil: none
	Now     func() time.Time
}

// Client makes the calls of the upstream service. It is safe for concurrent
// use.
type Client struct {
	base         string
	apiKey       string
	now          func() time.Time
	log          *slog.Logger
	budget       Budget
	metrics      *metrics
	tokens       *tokens // nil with an API key
	transport    *http.Transport
	sendDeadline time.Duration
	ahead        offset
}

// New returns a client. It fails if an address or the credentials are unusable.
func New(d Deps) (*Client, error) {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	if d.Budget == nil && d.Now != nil {
		d.Budget = NewMemoryBudget(d.Now)
	}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("upstream client: %w", err)
	}
	c := &Client{
		base: strings.TrimRight(d.BaseURL, "/"), apiKey: d.APIKey, now: d.Now, log: d.Log, budget: d.Budget,
		metrics: newMetrics(d.Metrics, d.Now), transport: newTransport(), sendDeadline: sendDeadline,
	}
	if d.APIKey == "" {
		c.tokens = newTokens(d, c.transport, c.metrics)
		c.metrics.ofTokens(d.Metrics, c.tokens)
	}
	ofClock(d.Metrics, c)
	return c, nil
}

func (d Deps) check() error {
	hasKey, hasClient := d.APIKey != "", d.ClientID != "" && d.ClientSecret != ""
	switch {
	case d.Now == nil:
		return errors.New("no clock")
	case !IsAddress(d.BaseURL):
		return errors.New("the base address is not an absolute http or https address")
	case hasKey && (d.ClientID != "" || d.ClientSecret != ""):
		return errors.New("both an API key and client credentials")
	case !hasKey && !hasClient:
		return errors.New("neither an API key nor whole client credentials")
	case hasClient && !IsAddress(d.AuthURL):
		return errors.New("the address of the identity provider is not an absolute http or https address")
	}
	return nil
}

// IsAddress says whether paths can be put after an address.
func IsAddress(text string) bool {
	_, err := dial.Secretless(text, "https", "http")
	return err == nil && !strings.ContainsAny(text, "?#")
}

// Close closes idle connections. Calls under way go on.
func (c *Client) Close() { c.transport.CloseIdleConnections() }
