package apiclient

import (
	"net/http"
	"time"
)

// callNeeds is how long a token must remain valid when a call starts.
const callNeeds = 5 * time.Second

// apiKeyAuth authenticates with the header api_key.
type apiKeyAuth struct {
	key  string
	next http.RoundTripper
}

// RoundTrip sends a request with the API key.
func (t *apiKeyAuth) RoundTrip(req *http.Request) (*http.Response, error) {
	// The service's documents use lower case; HTTP/1.1 does not care, but a strict gateway might.
	req.Header["api_key"] = []string{t.key}
	return t.next.RoundTrip(req)
}

// tokenAuth authenticates with a bearer token and drops a refused one, so that the next call fetches another.
// It never sends again.
type tokenAuth struct {
	tokens *tokens
	next   http.RoundTripper
}

// RoundTrip sends a request with a token, or fails with ErrToken.
func (t *tokenAuth) RoundTrip(req *http.Request) (*http.Response, error) {
	token, err := t.tokens.get(req.Context(), callNeeds)
	if err != nil {
		_ = req.Body.Close() // a RoundTripper must close it; closing memory cannot fail
		return nil, err
	}
	exchangeOf(req).token = token
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := t.next.RoundTrip(req)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		t.tokens.invalidate(token)
	}
	return resp, err
}
