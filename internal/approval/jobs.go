package approval

import (
	"time"

	"airtill/internal/jobs"
)

// Jobs delete old requests.
func (k *Desk) Jobs() []jobs.Job {
	return []jobs.Job{jobs.Periodic{Kind: "approval.sweep", Every: 24 * time.Hour, Do: k.Sweep}}
}
