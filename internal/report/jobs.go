package report

import (
	"time"

	"airtill/internal/jobs"
)

// Jobs bring the rollups up to date and send due reports. The first refresh after an upgrade may sum every
// sale there is; if cut off, it resumes.
func (s *Service) Jobs() []jobs.Job {
	return []jobs.Job{
		jobs.Periodic{
			Kind: "report.refresh", Every: 5 * time.Second, Timeout: 5 * time.Minute, Due: s.Due, Do: s.Refresh,
		},
		jobs.Periodic{Kind: "report.deliver", Every: time.Minute, Timeout: 5 * time.Minute, Do: s.Deliver},
	}
}
