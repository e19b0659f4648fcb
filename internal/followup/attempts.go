package followup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"airtill/internal/apiclient"
)

const (
	oldAtOnce = 10 // replaced attempts looked for in one sweep
	oldLater  = 10 * time.Minute
)

// oldAttempts looks for replaced attempts. They come last: nobody waits for them, and they use what the others
// leave of the budget.
func (s *Service) oldAttempts(ctx context.Context) error {
	due, err := s.d.Sales.DueAttempts(ctx, oldAtOnce)
	if err != nil {
		return err
	}
	ctx = apiclient.WithPriority(ctx, apiclient.PriorityBackground)
	for _, a := range due {
		if s.silence.lasts(s.d.Now()) {
			return nil // it stays due
		}
		found, err := s.records(ctx, a.Ref)
		switch {
		case err == nil:
			err = s.d.Sales.LookedFor(ctx, a, found)
		case limited(err):
			return nil // it stays due
		default:
			again := s.d.Now().Add(oldLater)
			err = errors.Join(s.d.Sales.PutOff(ctx, a, &again), err)
		}
		if err != nil {
			return fmt.Errorf("old attempt of sale %s: %w", a.SaleID, err)
		}
	}
	return nil
}
