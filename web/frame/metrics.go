package frame

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	panics   prometheus.Counter
	Webhooks *prometheus.CounterVec
	Refused  *prometheus.CounterVec
}

func newMetrics(registry prometheus.Registerer) metrics {
	in := promauto.With(registry)
	return metrics{
		requests: in.NewCounterVec(prometheus.CounterOpts{
			Name: "web_requests_total", Help: "Requests answered.",
		}, []string{"method", "route", "status"}),
		duration: in.NewHistogramVec(prometheus.HistogramOpts{
			Name: "web_request_seconds", Help: "Time from a request's headers to the end of its answer.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .2, .5, 1, 2.5, 10, 30, 100},
		}, []string{"route"}),
		panics: in.NewCounter(prometheus.CounterOpts{
			Name: "web_panics_total", Help: "Panics recovered while answering.",
		}),
		Webhooks: in.NewCounterVec(prometheus.CounterOpts{
			Name: "airtill_webhooks_total", Help: "Webhooks received, by the status they were answered with.",
		}, []string{"status"}),
		Refused: in.NewCounterVec(prometheus.CounterOpts{
			Name: "airtill_webhooks_refused_total", Help: "Webhooks refused, by reason.",
		}, []string{"reason"}),
	}
}
