package invariant

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	offenders *prometheus.GaugeVec
	ended     prometheus.Gauge
}

func newMetrics(r prometheus.Registerer) metrics {
	m := metrics{
		offenders: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "airtill_verify_offenders", Help: "Offenders that the last check found, by invariant.",
		}, []string{"invariant"}),
		ended: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "airtill_verify_last_timestamp_seconds", Help: "When the last check of the invariants ended.",
		}),
	}
	if r != nil {
		r.MustRegister(m.offenders, m.ended)
	}
	return m
}

func (m metrics) ran(run Run) {
	for _, f := range run.Findings {
		m.offenders.WithLabelValues(f.Name).Set(float64(f.Broken()))
	}
	m.ended.Set(float64(run.EndedAt.Unix()))
}
