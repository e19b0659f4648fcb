package frame

import (
	"context"
	"time"

	"airtill/internal/fault"
)

// How many browsers that nobody has signed in from are seen to at once, and how many wait. Each asks the database for
// rows that all who guess at one account queue for: with more of them inside than there are connections, a sale
// would get none. Few wait, since of wrong guesses only some twenty are looked at before patience ends.
const (
	StrangersInside   = 8
	StrangersWaiting  = 32
	strangersPatience = 10 * time.Second
)

var errBusy = fault.New(fault.Unavailable, "login.busy")

// strangers come in a few at a time. One that finds too many waiting is refused, as is one whose patience ends.
type strangers struct{ inside, waiting chan struct{} }

func newStrangers() strangers {
	return strangers{
		inside:  make(chan struct{}, StrangersInside),
		waiting: make(chan struct{}, StrangersWaiting),
	}
}

func (s strangers) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-s.inside }
	select {
	case s.inside <- struct{}{}:
		return leave, nil
	case s.waiting <- struct{}{}:
	default:
		return nil, errBusy
	}
	defer func() { <-s.waiting }()
	ctx, cancel := context.WithTimeout(ctx, strangersPatience)
	defer cancel()
	select {
	case s.inside <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, errBusy
	}
}
