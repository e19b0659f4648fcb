package statement

import (
	"context"
	"time"

	"airtill/internal/jobs"
)

// closeWithin ends a run before River takes it for stuck.
const closeWithin = 9 * time.Minute

// Jobs close the days that are over; the first run of a large business closes many.
func (s *Service) Jobs() []jobs.Job {
	closeDue := func(ctx context.Context) error {
		_, err := s.CloseDue(ctx)
		return err
	}
	return []jobs.Job{
		jobs.Periodic{Kind: "statement.close", Every: 15 * time.Minute, Timeout: closeWithin, Do: closeDue},
	}
}
