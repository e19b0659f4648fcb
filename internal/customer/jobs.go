package customer

import (
	"time"

	"airtill/internal/jobs"
)

// Jobs delete customers who have stopped coming.
func (b *Book) Jobs() []jobs.Job {
	return []jobs.Job{jobs.Periodic{Kind: "customer.sweep", Every: 6 * time.Hour, Do: b.Sweep, Lasting: true}}
}
