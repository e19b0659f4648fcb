package sales

import (
	"time"

	"airtill/internal/jobs"
)

// Jobs delete receipts whose time is over; the first run may have years to go through.
func (s *Service) Jobs() []jobs.Job {
	return []jobs.Job{
		jobs.Periodic{Kind: "sales.purge", Every: 24 * time.Hour, Timeout: 10 * time.Minute, Do: s.Purge},
	}
}
