package followup

import (
	"time"

	"airtill/internal/jobs"
)

// SweepJob is the kind of the job that finds out what became of open sales.
const SweepJob = "followup.sweep"

// Jobs sweep: up to a hundred look-ups of a second or so each. Every process asks for a sweep with each beat that
// finds something due; the schedule is for when none can.
func (s *Service) Jobs() []jobs.Job {
	return []jobs.Job{jobs.Periodic{
		Kind: SweepJob, Every: 10 * time.Second, Timeout: 3 * time.Minute, Due: s.Due, Do: s.Sweep,
	}}
}
