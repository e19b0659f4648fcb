package frame

import (
	"fmt"

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
		requests: prometheus.NewCounterVec(
			prometheus.CounterOpts{Name: "web_requests_total", Help: "Requests answered."},
			[]string{"method", "route", "status"},
		),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "web_request_seconds", Help: "Time from a request's headers to the end of its answer.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .2, .5, 1, 2.5, 10, 30, 100},
		}, []string{"route"}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "web_panics_total", Help: "Panics recovered while answering.",
		}),
		Webhooks: prometheus.NewCounterVec(
			prometheus.CounterOpts{
				Name: "airtill_webhooks_total", Help: "Webhooks received, by the status they were answered with.",
			},
			[]string{"status"},
		),
		Refused: prometheus.NewCounterVec(
			prometheus.CounterOpts{Name: "airtill_webhooks_refused_total", Help: "Webhooks refused, by reason."},
			[]string{"reason"},
		),
	}
	for _, c := range []prometheus.Collector{m.requests, m.duration, m.panics, m.Webhooks, m.Refused} {
		if err := registry.Register(c); err != nil {
			return metrics{}, fmt.Errorf("web metrics: %w", err)
		}
	}
	return m, nil
}
