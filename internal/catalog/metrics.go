package catalog

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics is what the catalogue shows of itself.
type metrics struct {
	syncs   *prometheus.CounterVec
	lookups *prometheus.CounterVec
}

func newMetrics(registry prometheus.Registerer, s *Service) *metrics {
	in := promauto.With(registry)
	gauge := func(name, help string, value func(*Snapshot) float64) {
		opts := prometheus.GaugeOpts{Name: name, Help: help}
		in.NewGaugeFunc(opts, func() float64 { return value(s.Current()) })
	}
	gauge("airtill_catalog_products", "Products for sale.", func(c *Snapshot) float64 { return float64(c.Size()) })
	gauge("airtill_catalog_version", "Version that this process serves.", func(c *Snapshot) float64 {
		return float64(c.Version())
	})
	const age = "Time since the upstream confirmed the prices; -1 if it never did."
	gauge("airtill_catalog_prices_age_seconds", age, func(c *Snapshot) float64 {
		if c.PricesAsOf().IsZero() {
			return -1
		}
		return s.d.Now().Sub(c.PricesAsOf()).Seconds()
	})
	return &metrics{
		syncs: in.NewCounterVec(prometheus.CounterOpts{
			Name: "airtill_catalog_syncs_total", Help: "Sync runs by resource and how they ended.",
		}, []string{"resource", "outcome"}),
		lookups: in.NewCounterVec(prometheus.CounterOpts{
			Name: "airtill_catalog_lookups_total", Help: "Numbers looked up, by what decided.",
		}, []string{"source"}),
	}
}
