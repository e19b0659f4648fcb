package apiclient

import (
	"context"
	"crypto/rand"
	"net/http"
)

const correlationHeader = "X-Correlation-Id"

type correlationKey struct{}

// WithCorrelationID makes the calls of this context carry an id, by which
// their traces are found in both systems' logs.
func WithCorrelationID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, correlationKey{}, id)
}

// correlated puts a correlation id on every request, a new one if it has none.
// The request was made for this chain alone, so it and auth write its header.
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
