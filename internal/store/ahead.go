package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// Asked is a question that may be asked before the page that needs its answer.
type Asked interface {
	Query() Query
	keep(*Ahead)
	take(*Ahead) bool
}

// Asking is an Asked: a Query whose answer is a V, found by its key. A page that asks about anything else does
// not get the answer. Its SQL names its limit: a statement with a bound one is compiled anew by SQLite each time, since
// its plan may depend on it.
type Asking[V any] struct {
	Key  any // comparable, of a type of the room's own
	SQL  string
	Args []any
	Row  func(Scanner) error // called for each row of the answer, which it puts into Into
	Into *V
}

// AskingRows is the Asking for rows as they are; rest is what follows their columns, from FROM on.
func AskingRows[T any](key any, into *[]T, rest string, args ...any) Asking[[]T] {
	return Asking[[]T]{
		Key: key, SQL: "SELECT " + Columns[T]() + " " + rest, Args: args, Into: into,
		Row: RowsOf(into),
	}
}

// Query is the question as a batch asks it.
func (a Asking[V]) Query() Query {
	return Query{SQL: a.SQL, Args: a.Args, Row: a.Row}
}

func (a Asking[V]) keep(ahead *Ahead) { ahead.answers[a.Key] = a.Into }

func (a Asking[V]) take(ahead *Ahead) bool {
	found, ok := ahead.answers[a.Key].(*V)
	if ok {
		*a.Into = *found
		delete(ahead.answers, a.Key) // a repeated question wants the answer of now
	}
	return ok
}

// Ahead holds answers to what a page was expected to ask.
type Ahead struct{ answers map[any]any }

type aheadKey struct{}

// WithAhead returns a context with answers asked for in advance. It must not outlive a request, nor be used by
// two goroutines.
func WithAhead(ctx context.Context, ahead *Ahead) context.Context {
	return context.WithValue(ctx, aheadKey{}, ahead)
}

// Foresee asks a question, and in the same round trip what is likely to be asked next. If only the latter
// fails there are no answers, and each is asked for when needed.
func (db *DB) Foresee(ctx context.Context, first Query, then ...Asked) (*Ahead, error) {
	if db.pool == nil || len(then) == 0 { // SQLite gains nothing by asking together, and some answers may not be needed
		return nil, db.Rows(ctx, first)
	}
	queries := make([]Query, 1, 1+len(then))
	queries[0] = first
	for _, asked := range then {
		queries = append(queries, asked.Query())
	}
	err := db.Rows(ctx, queries...)
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused) && !away(err):
		return nil, db.Rows(ctx, first)
	case err != nil:
		return nil, err
	}
	ahead := &Ahead{answers: make(map[any]any, len(then))}
	for _, asked := range then {
		asked.keep(ahead)
	}
	return ahead, nil
}

// Answer answers questions: those not asked ahead are asked now, in one round trip.
func (db *DB) Answer(ctx context.Context, questions ...Asked) error {
	ahead, _ := ctx.Value(aheadKey{}).(*Ahead)
	var queries []Query
	for _, asked := range questions {
		if ahead == nil || !asked.take(ahead) {
			queries = append(queries, asked.Query())
		}
	}
	if queries == nil {
		return nil
	}
	return db.Rows(ctx, queries...)
}
