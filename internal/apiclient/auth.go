package apiclient

import (
	"net/http"
	"time"
)

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
