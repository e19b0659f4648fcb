package frame

import (
	"context"

	"github.com/gin-gonic/gin"
)

// Reads are the questions of one page; after a failure, none is asked, and Err is why.
type Reads struct {
	c   *gin.Context
	Err error
}

// ReadsOf are the questions of the page that a request is for.
func ReadsOf(c *gin.Context) *Reads { return &Reads{c: c} }

// Load asks a question.
func Load[T any](r *Reads, question func(context.Context) (T, error)) (answer T) {
	if r.Err == nil {
		answer, r.Err = question(r.c.Request.Context())
	}
	return answer
}

// LoadOf asks a question about something.
func LoadOf[A, T any](r *Reads, question func(context.Context, A) (T, error), about A) T {
	return Load(r, func(ctx context.Context) (T, error) { return question(ctx, about) })
}

// LoadHere asks a question about who asks.
func LoadHere[T any](r *Reads, question func(*gin.Context) (T, error)) T {
	return Load(r, func(context.Context) (T, error) { return question(r.c) })
}
