package health

import (
	"fmt"
	"time"
)

// Counts is what this process has counted since it started.
type Counts struct {
	Upstream map[string]int64 // answers, by outcome
	Answered time.Time        // when the upstream last answered; zero: not yet
	Token    time.Duration    // age of the access token; 0 without one
	Ahead    time.Duration    // by how much the clock here is ahead of the upstream's
	Calls    map[string]Calls // by method
}

// Calls are this process's calls of one method.
type Calls struct {
	Count      int64
	Held       int64         // not made, for lack of budget
	Mean, Most time.Duration // Most: 95 of 100 took no longer, judging by the buckets
	Over       time.Duration // in place of Most: the greatest bucket, where more than 5 of 100 took longer
}

// Counts reads what has been counted since the start.
func (s *Service) Counts() (Counts, error) {
	n := Counts{Upstream: map[string]int64{}, Calls: map[string]Calls{}}
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
			call, gauge := n.Calls[labels["op"]], int64(m.GetGauge().GetValue())
			switch family.GetName() {
			case "airtill_upstream_requests_total":
				n.Upstream[labels["outcome"]] += int64(m.GetCounter().GetValue())
			case "airtill_upstream_answered_timestamp_seconds":
				if gauge > 0 {
					n.Answered = time.Unix(gauge, 0)
				}
			case "airtill_upstream_token_age_seconds":
				n.Token = time.Duration(gauge) * time.Second
			case "airtill_upstream_clock_ahead_seconds":
				n.Ahead = time.Duration(gauge) * time.Second
			case "airtill_upstream_request_seconds":
				h := m.GetHistogram()
				if call.Count = int64(h.GetSampleCount()); call.Count > 0 {
					call.Mean = seconds(h.GetSampleSum()) / time.Duration(call.Count)
					call.Most, call.Over = slowest(h.GetBucket(), h.GetSampleCount())
				}
				n.Calls[labels["op"]] = call
			case "airtill_upstream_budget_refused_total":
				call.Held = int64(m.GetCounter().GetValue())
				n.Calls[labels["op"]] = call
			}
		}
	}
	return n, nil
}

func seconds(s float64) time.Duration { //nolint:forbidigo // as they are measured
	return time.Duration(s * float64(time.Second)) //nolint:forbidigo // likewise
}

// slowest is the upper bound of the bucket below which 95 of 100 measurements lie, or that of the greatest, which they
// are over.
func slowest[B interface {
	GetCumulativeCount() uint64
	GetUpperBound() float64 //nolint:forbidigo // seconds, as they are measured
}](buckets []B, count uint64) (within, over time.Duration) {
	for _, bucket := range buckets {
		if over = seconds(bucket.GetUpperBound()); bucket.GetCumulativeCount()*100 >= count*95 {
			return over, 0
		}
	}
	return 0, over
}
