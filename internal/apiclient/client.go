// Package apiclient speaks the upstream transfer service: seventeen calls, two ways to authenticate, the
// request budgets, and the opening of its webhooks.
//
// Every call is one value of type endpoint, and one generic function makes them all, over one HTTP/1.1
// transport. Nothing is ever repeated in this package: whether a call may be made again is for the caller, who
// holds the permit.
//
// Answers are read with tolerance: unknown fields, enumeration values and nulls are no errors, and a field of
// an unexpected type counts as absent.
package apiclient

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
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

// callNeeds is how long a token must remain valid when a call starts.
const callNeeds = 5 * time.Second

// authenticate gives a request the API key, or a bearer token, which it returns. It fails with ErrToken.
func (c *Client) authenticate(req *http.Request) (token string, err error) {
	if c.tokens == nil {
		// The service's documents use lower case; HTTP/1.1 does not care, but a strict gateway might.
		req.Header["api_key"] = []string{c.apiKey}
		return "", nil
	}
	if token, err = c.tokens.get(req.Context(), callNeeds); err == nil {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return token, err
}

const correlationHeader = "X-Correlation-Id"

type correlationKey struct{}

// WithCorrelationID gives the calls of this context an id, by which both systems' logs can be searched.
func WithCorrelationID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, correlationKey{}, id)
}

// correlationID is the context's id, or a new one.
func correlationID(ctx context.Context) string {
	if id, _ := ctx.Value(correlationKey{}).(string); id != "" {
		return id
	}
	return rand.Text()
}

// offset is by how much this machine's clock is ahead of the upstream's.
type offset struct{ atomic.Int64 }

// ClockAhead is by how much this machine's clock is certainly ahead of the upstream's, going by its last answer;
// negative if it is behind, 0 if they may agree. Answers name the second, and take their time.
func (c *Client) ClockAhead() time.Duration { return time.Duration(c.ahead.Load()) }

// heard compares clocks by the Date of an answer to what was asked at a moment.
func (o *offset) heard(date string, asked, answered time.Time) {
	at, err := http.ParseTime(date)
	if err != nil {
		return // it tells nothing
	}
	o.Store(int64(max(asked.Sub(at.Add(time.Second)), 0) + min(answered.Sub(at), 0)))
}
