package apiclient

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics counts by operation and outcome only: no number, ref or id may become a label.
type metrics struct {
	now      func() time.Time
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refused  *prometheus.CounterVec
	fetches  *prometheus.CounterVec
	answered prometheus.Gauge
}

func newMetrics(registry prometheus.Registerer, now func() time.Time) *metrics {
	in := promauto.With(registry)
	return &metrics{
		now: now,
		requests: in.NewCounterVec(prometheus.CounterOpts{
			Name: "airtill_upstream_requests_total", Help: "Requests to the upstream service by operation and outcome.",
		}, []string{"op", "outcome"}),
		seconds: in.NewHistogramVec(prometheus.HistogramOpts{
			Name: "airtill_upstream_request_seconds", Help: "Time from request to the end of the answer.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 90, 100},
		}, []string{"op"}),
		refused: in.NewCounterVec(prometheus.CounterOpts{
			Name: "airtill_upstream_budget_refused_total", Help: "Requests not made because their budget was used up.",
		}, []string{"op"}),
		answered: in.NewGauge(prometheus.GaugeOpts{
			Name: "airtill_upstream_answered_timestamp_seconds",
			Help: "When the upstream service last answered with a whole envelope, 0 if it never has.",
		}),
	}
}

// ofTokens are those of a client that needs access tokens.
func (m *metrics) ofTokens(registry prometheus.Registerer, t *tokens) {
	in := promauto.With(registry)
	m.fetches = in.NewCounterVec(prometheus.CounterOpts{
		Name: "airtill_upstream_token_fetches_total", Help: "Access tokens asked for, by outcome.",
	}, []string{"outcome"})
	in.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "airtill_upstream_token_age_seconds", Help: "Age of the access token in use, 0 without one.",
	}, t.age)
}

func ofClock(registry prometheus.Registerer, c *Client) {
	promauto.With(registry).NewGaugeFunc(prometheus.GaugeOpts{
		Name: "airtill_upstream_clock_ahead_seconds",
		Help: "By how much the clock here is ahead of the upstream's, negative if behind, 0 as long as they may agree.",
	}, func() float64 { return c.ClockAhead().Seconds() })
}

func (t *tokens) age() float64 {
	current := t.cached()
	if current.value == "" {
		return 0
	}
	return t.now().Sub(current.fetched).Seconds()
}

func (m *metrics) tokenFetched(err error) {
	outcome := "ok"
	if err != nil {
		outcome = "failed"
	}
	m.fetches.WithLabelValues(outcome).Inc()
}

// outcomeOf names how an answered call ended.
func outcomeOf(e *Envelope, err error) string {
	switch e.ResultCode {
	case 0:
		return classOfAnswer(err)
	case ResultSuccess:
		return "success"
	case ResultWarning:
		return "warning"
	case ResultTransient:
		return "transient"
	case ResultClient:
		return "client"
	case ResultServer:
		return "server"
	}
	return "unknown"
}

// observe counts a request by how it ended, and times it.
func (m *metrics) observe(op, outcome string, started time.Time) {
	m.requests.WithLabelValues(op, outcome).Inc()
	switch outcome {
	case "success", "warning", "transient", "client", "server":
		m.answered.Set(float64(m.now().Unix()))
	}
	m.seconds.WithLabelValues(op).Observe(m.now().Sub(started).Seconds())
}
