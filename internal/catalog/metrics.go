package catalog

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics is what the catalogue shows of itself.
type metrics struct {
	syncs   *prometheus.CounterVec
	lookups *prometheus.CounterVec
	gauges  []prometheus.Collector
}

func newMetrics(s *Service) *metrics {
	gauge := func(name, help string, value func(*Snapshot) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			return value(s.Current())
		})
	}
	return &metrics{
		syncs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "airtill_catalog_syncs_total", Help: "Sync runs by resource and how they ended.",
		}, []string{"resource", "outcome"}),
		lookups: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "airtill_catalog_lookups_total", Help: "Numbers looked up, by what decided.",
		}, []string{"source"}),
		gauges: []prometheus.Collector{
			gauge("airtill_catalog_products", "Products for sale.", func(c *Snapshot) float64 {
				return float64(c.Size())
			}),
			gauge("airtill_catalog_version", "Version that this process serves.", func(c *Snapshot) float64 {
				return float64(c.Version())
			}),
			gauge("airtill_catalog_prices_age_seconds", "Time since the upstream confirmed the prices; -1 if it "+
				"never did.", func(c *Snapshot) float64 {
				if c.PricesAsOf().IsZero() {
					return -1
				}
				return s.now().Sub(c.PricesAsOf()).Seconds()
			}),
		},
	}
}

func (m *metrics) register(registry prometheus.Registerer) error {
	if registry == nil {
		return nil
	}
	var errs []error
	for _, c := range append(m.gauges, m.syncs, m.lookups) {
		errs = append(errs, registry.Register(c))
	}
	return errors.Join(errs...)
}
