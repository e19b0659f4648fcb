package main

import (
	"context"
	"errors"
	"net"
	"net/http"

	"airtill/web"
)

// buildPages makes the handler of everything that is asked for over HTTP.
func (s *shop) buildPages() (err error) {
	s.handler, err = web.New(web.Deps{
		DB: s.db, Staff: s.staff, Catalog: s.catalog, Till: s.till, Sales: s.sales, Reconcile: s.reconcile, Bus: s.bus, Log: s.log, Now: now, Limiter: s.limiter(), Metrics: s.metrics,
		PublicURL: s.config.PublicURL, TrustedProxies: s.config.TrustedProxies, MetricsToken: string(s.config.MetricsToken), Ready: s.ready,
	})
	return err
}

// limiter counts requests for all processes together, if they share a Redis.
func (s *shop) limiter() web.Limiter {
	local := web.NewMemoryLimiter(now)
	if s.redis == nil {
		return local
	}
	return web.NewRedisLimiter(s.redis, local, s.log)
}

// ready says what a balancer must know beyond the database: this process can
// sell, and is not about to end.
func (s *shop) ready(ctx context.Context) error {
	switch {
	case s.stopping.Load():
		return errors.New("this process is stopping")
	case s.catalog.Current().Empty():
		return errors.New("there is no catalogue yet")
	case s.catalog.Current().StatusAsOf().IsZero():
		return errors.New("it is not known yet which providers take transfers")
	}
	balance, err := s.reconcile.LastBalance(ctx)
	if err == nil && balance == nil {
		err = errors.New("the balance is not known yet")
	}
	return err
}

// newServer returns the server of the pages; their context ends with the one
// given.
func (s *shop) newServer(pages context.Context) *http.Server {
	server := web.NewHTTPServer(s.config.ListenAddr, s.handler, s.log)
	server.BaseContext = func(net.Listener) context.Context { return pages }
	return server
}
