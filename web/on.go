package web

import (
	"airtill/internal/app"
	"airtill/web/frame"
)

// On returns what the screens stand on in the program.
func On(a *app.App) frame.Deps {
	c := a.Config
	return frame.Deps{
		Staff: a.Staff, Catalog: a.Catalog, Till: a.Till, Customers: a.Customers, Logos: a.Logos,
		Approvals: a.Approvals, Alerts: a.Alerts, Receipts: a.Receipts, Counter: a.Counter, Limits: a.Limits,
		Sales: a.Sales, FollowUp: a.FollowUp, Persons: a.Persons, AddressKey: a.AddressKey, Reconcile: a.Reconcile,
		Statements: a.Statements, Report: a.Report, Forecast: a.Forecast, Pricing: a.Pricing, Invariants: a.Invariants,
		Audit: a.Audit, Board: a.Board, Setup: a.Setup, Jobs: a.Jobs, Webhook: a.Webhook, Bus: a.Bus, Log: a.Log,
		Now: a.Now, Limiter: newLimiter(a), Streams: newStreams(a), Metrics: a.Metrics, Health: a.Health,
		Practice: c.Practice, PublicURL: c.PublicURL, TrustedProxies: c.TrustedProxies,
		MetricsToken: string(c.MetricsToken),
	}
}

func newStreams(a *app.App) *frame.RedisStreams {
	if a.Redis == nil {
		return nil
	}
	return frame.NewRedisStreams(a.Redis)
}

// newLimiter counts requests for all processes together, if they share a Redis.
func newLimiter(a *app.App) frame.Limiter {
	local := frame.NewMemoryLimiter(a.Now)
	if a.Redis == nil {
		return local
	}
	return frame.NewRedisLimiter(a.Redis, local, a.Log)
}
