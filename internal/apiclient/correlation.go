package apiclient

import (
	"context"
	"crypto/rand"
	"net/http"
)

const correlationHeader = "X-Correlation-Id"

type correlationKey struct{}

// WithCorrelationID gives the calls of this context an id, by which both systems' logs can be searched.
func WithCorrelationID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, correlationKey{}, id)
}

// correlated gives every request a correlation id, a new one if it has none. The request was made for this
// chain alone, so it and auth may write its header.
type correlated struct{ next http.RoundTripper }

// RoundTrip sends a request with its correlation id.
func (t *correlated) RoundTrip(req *http.Request) (*http.Response, error) {
	id, _ := req.Context().Value(correlationKey{}).(string)
	if id == "" {
		id = rand.Text()
	}
	req.Header.Set(correlationHeader, id)
	return t.next.RoundTrip(req)
}
