package sales

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type metrics struct {
	moves     *prometheus.CounterVec
	seconds   *prometheus.HistogramVec
	incidents *prometheus.CounterVec
	webhooks  *prometheus.CounterVec
}

// newMetrics registers the counters; with a nil registerer they stay unexported.
func newMetrics(r prometheus.Registerer) metrics {
	in := promauto.With(r)
	return metrics{
		moves: in.NewCounterVec(prometheus.CounterOpts{
			Name: "airtill_sale_moves_total",
			Help: "Moves of sales, by the state reached and what moved them.",
		}, []string{"state", "cause"}),
		seconds: in.NewHistogramVec(prometheus.HistogramOpts{
			Name: "airtill_sale_outcome_seconds",
			Help: "Seconds from the permit to a final state.", Buckets: []float64{
				.1, .25, .5, 1, 2, 5, 10, 30, 100, 300, 900, 3600, 86400,
			},
		}, []string{"state"}),
		incidents: in.NewCounterVec(prometheus.CounterOpts{
			Name: "airtill_sale_incidents_total",
			Help: "Incidents that a person must look at, by kind.",
		}, []string{"kind"}),
		webhooks: in.NewCounterVec(prometheus.CounterOpts{
			Name: "airtill_webhooks_taken_total",
			Help: "Webhooks whose signature held, by what became of them.",
		}, []string{"verdict"}),
	}
}

func (m metrics) moved(before, after Sale, o Observation) {
	if before.Fulfilment == after.Fulfilment {
		return
	}
	m.moves.WithLabelValues(string(after.Fulfilment), string(o.Cause)).Inc()
	if after.Fulfilment.Final() && after.PermitAt != nil {
		m.seconds.WithLabelValues(string(after.Fulfilment)).Observe(o.At.Sub(*after.PermitAt).Seconds())
	}
}
