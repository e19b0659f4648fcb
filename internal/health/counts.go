package health

import (
	"fmt"
	"time"
)

// Counts is what this process has counted since it started.
type Counts struct {
	Upstream map[string]int64 // answers, by outcome
	Answered time.Time        // the last answer of the upstream; zero: none yet
	Token    time.Duration    // age of the access token; 0 without one
}

// Counts reads what has been counted since the start.
func (s *Service) Counts() (Counts, error) {
	n := Counts{Upstream: map[string]int64{}}
	families, err := s.d.Metrics.Gather()
	if err != nil {
		return n, fmt.Errorf("gather metrics: %w", err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range m.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			n.take(family.GetName(), labels, int64(m.GetCounter().GetValue()), int64(m.GetGauge().GetValue()))
		}
	}
	return n, nil
}

func (n *Counts) take(name string, labels map[string]string, counter, gauge int64) {
	switch name {
	case "airtill_upstream_requests_total":
		n.Upstream[labels["outcome"]] += counter
	case "airtill_upstream_answered_timestamp_seconds":
		if gauge > 0 {
			n.Answered = time.Unix(gauge, 0)
		}
	case "airtill_upstream_token_age_seconds":
		n.Token = time.Duration(gauge) * time.Second
	}
}
