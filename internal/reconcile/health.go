package reconcile

import (
	"context"
	"fmt"
	"time"

	"airtill/internal/sales"
	"airtill/internal/store"
)

// Health is what a person in charge must see.
type Health struct {
	Incidents  []sales.Incident // open ones, newest first
	FailedJobs []FailedJob      // of the last day, newest first
}

// FailedJob is a kind of job that failed lately.
type FailedJob struct {
	Kind  string
	Count int
	Last  time.Time
}

const (
	healthRows   = 20
	jobsFailedIn = 24 * time.Hour
)

// Health reads what is wrong now. Jobs that failed and were given up on are in
// River's own table.
func (s *Service) Health(ctx context.Context) (Health, error) {
	var h Health
	err := s.DB.Read(ctx).Where("closed_at IS NULL").Order("id DESC").Limit(healthRows).Find(&h.Incidents).Error
	if err != nil {
		return h, fmt.Errorf("open incidents: %w", err)
	}
	var jobs []struct {
		Kind        string
		FinalizedAt time.Time
	}
	err = s.DB.Read(ctx).Table("river_job").Select("kind, finalized_at").
		Where("state = 'discarded' AND finalized_at > ?", store.Moment(s.Now().Add(-jobsFailedIn))).Order("finalized_at DESC").Limit(1000).Scan(&jobs).Error
	if err != nil {
		return h, fmt.Errorf("failed jobs: %w", err)
	}
	index := map[string]int{}
	for _, j := range jobs {
		i, known := index[j.Kind]
		if !known {
			i, index[j.Kind] = len(h.FailedJobs), len(h.FailedJobs)
			h.FailedJobs = append(h.FailedJobs, FailedJob{Kind: j.Kind, Last: j.FinalizedAt})
		}
		h.FailedJobs[i].Count++
	}
	return h, nil
}
