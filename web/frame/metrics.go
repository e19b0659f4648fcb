package frame

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	panics   prometheus.Counter
	Webhooks *prometheus.CounterVec
	Refused  *prometheus.CounterVec
}

func newMetrics(registry *prometheus.Registry) (metrics, error) {
	m := metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "web_requests_total", Help: "Requests answered."}, []string{"method", "route", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "web_request_seconds", Help: "Time from a request's headers to the end of its answer.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .2, .5, 1, 2.5, 10, 30, 100},
		}, []string{"route"}),
		panics:   prometheus.NewCounter(prometheus.CounterOpts{Name: "web_panics_total", Help: "Panics recovered while answering."}),
		Webhooks: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "airtill_webhooks_total", Help: "Webhooks received, by the status they were answered with."}, []string{"status"}),
		Refused:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "airtill_webhooks_refused_total", Help: "Webhooks refused, by reason."}, []string{"reason"}),
	}
	for _, c := range []prometheus.Collector{m.requests, m.duration, m.panics, m.Webhooks, m.Refused} {
		if err := registry.Register(c); err != nil {
			return metrics{}, fmt.Errorf("web metrics: %w", err)
		}
	}
	return m, nil
}

// Counts is what this process has counted since it started, as the health page
// tells it.
type Counts struct {
	Upstream map[string]int64 // answers, by outcome
	Answered time.Time        // the last answer of the upstream; zero: none yet
	Token    time.Duration    // age of the access token; 0 without one
}

// CountsOf reads what has been counted since the start.
func CountsOf(registry *prometheus.Registry) (Counts, error) {
	n := Counts{Upstream: map[string]int64{}}
	families, err := registry.Gather()
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
