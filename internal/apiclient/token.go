package apiclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	readyFor      = 100 * time.Second // the longest a SendTransfer may take
	refreshAhead  = 3 * time.Minute   // from here on a new token is fetched in the background
	fetchDeadline = 10 * time.Second
	tokenLimit    = 64 << 10
	// defaultLife is assumed when the answer omits a token's life (RFC 6749, 5.1 only recommends stating it).
	defaultLife = 5 * time.Minute
)

// Ready makes sure that the credentials are usable for the next 100 s: it fetches a token if the present one
// ends sooner. Call it before taking a permit. It fails with ErrToken. A token with a shorter life is usable
// for half of it.
func (c *Client) Ready(ctx context.Context) error {
	if c.tokens == nil {
		return nil
	}
	if _, err := c.tokens.get(ctx, readyFor); err != nil {
		return &Error{Op: "token", Err: err}
	}
	return nil
}

// tokens holds the access token, fetched once however many wait for it.
type tokens struct {
	url     string
	form    string
	next    http.RoundTripper
	now     func() time.Time
	metrics *metrics
	flight  singleflight.Group

	mu      sync.Mutex
	current token
}

type token struct {
	value   string
	fetched time.Time
	life    time.Duration
}

func (t token) left(now time.Time) time.Duration { return t.life - now.Sub(t.fetched) }

func newTokens(d Deps, next http.RoundTripper, m *metrics) *tokens {
	form := url.Values{
		"client_id": {d.ClientID}, "client_secret": {d.ClientSecret}, "grant_type": {"client_credentials"},
	}
	return &tokens{
		url: strings.TrimRight(d.AuthURL, "/") + "/connect/token", form: form.Encode(), next: next, now: d.Now,
		metrics: m,
	}
}

// get returns a token valid for at least so long. A token that ends soon, but not too soon, is used while its
// successor is fetched in the background.
func (t *tokens) get(ctx context.Context, need time.Duration) (string, error) {
	current := t.cached()
	left := current.left(t.now())
	if current.value != "" && left > min(refreshAhead, current.life/2) {
		return current.value, nil
	}
	// A caller that gives up must not take the token from the others.
	fetching := t.flight.DoChan("token", func() (any, error) { return t.fetch(context.WithoutCancel(ctx)) })
	if current.value != "" && left > min(need, current.life/2) {
		return current.value, nil
	}
	select {
	case result := <-fetching:
		if result.Err != nil {
			return "", fmt.Errorf("%w: %w", ErrToken, result.Err)
		}
		return result.Val.(token).value, nil
	case <-ctx.Done():
		return "", fmt.Errorf("%w: %w", ErrToken, ctx.Err())
	}
}

func (t *tokens) cached() token {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.current
}

// invalidate drops the token if it is still the refused one.
func (t *tokens) invalidate(refused string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current.value == refused {
		t.current = token{}
	}
}

func (t *tokens) fetch(ctx context.Context) (token, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchDeadline)
	defer cancel()
	started := t.now()
	got, err := t.request(ctx)
	t.metrics.tokenFetched(err)
	if err != nil {
		return token{}, err
	}
	// Its life is counted from before the request, so never too long.
	got.fetched = started
	t.mu.Lock()
	defer t.mu.Unlock()
	t.current = got
	return got, nil
}

func (t *tokens) request(ctx context.Context) (token, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, strings.NewReader(t.form))
	if err != nil {
		return token{}, errors.New("cannot form the token request")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return token{}, onTheWay(err)
	}
	defer func() { _ = resp.Body.Close() }() // a connection that closes badly cannot be helped
	return readToken(resp)
}

// readToken reads the answer of the token endpoint (RFC 6749, 5.1 and 5.2).
func readToken(resp *http.Response) (token, error) {
	var answer struct {
		AccessToken string  `json:"access_token"`
		ExpiresIn   Decimal `json:"expires_in"`
		Error       string  `json:"error"`
	}
	err := json.NewDecoder(io.LimitReader(resp.Body, tokenLimit)).Decode(&answer)
	if resp.StatusCode != http.StatusOK {
		return token{}, fmt.Errorf("token refused: HTTP %d %s", resp.StatusCode, word(answer.Error))
	}
	if tolerate(err) != nil || answer.AccessToken == "" {
		return token{}, errors.New("the token endpoint's answer is unreadable")
	}
	return token{value: answer.AccessToken, life: tokenLife(answer.ExpiresIn)}, nil
}

func tokenLife(seconds Decimal) time.Duration {
	rate, err := seconds.Rate()
	if err != nil || !rate.IsPositive() {
		return defaultLife
	}
	const longest = 30 * 24 * 60 * 60
	return time.Duration(min(rate.IntPart(), longest)) * time.Second
}
