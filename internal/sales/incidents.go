package sales

import (
	"context"
	"fmt"
)

const incidentsListed = 20

// Incidents returns what went wrong and nobody has dealt with, newest first.
func (s *Service) Incidents(ctx context.Context) ([]Incident, error) {
	var open []Incident
	err := s.DB.Read(ctx).Where("closed_at IS NULL").Order("id DESC").Limit(incidentsListed).Find(&open).Error
	if err != nil {
		return nil, fmt.Errorf("open incidents: %w", err)
	}
	return open, nil
}
