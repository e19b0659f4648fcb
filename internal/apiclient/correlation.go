package apiclient

import (
	"context"
	"crypto/rand"
)

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
