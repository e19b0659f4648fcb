package customer

import (
	"time"

	"airtill/internal/jobs"
)

// Jobs delete customers who have stopped coming.
func (b *Book) Jobs() []jobs.Job {
	return []jobs.Job{jobs.Periodic{Kind: "customer.sweep", Every: 24 * time.Hour, Do: b.Sweep}}
}
