package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"

	"airtill/internal/apiclient"
	"airtill/web"
)

// buildPages makes the handler of everything that is asked for over HTTP.
func (s *shop) buildPages() error {
	webhook, err := s.config.newWebhook(s.log)
	if err != nil {
		return err
	}
	s.handler, err = web.New(web.Deps{
		DB: s.db, Staff: s.staff, Catalog: s.catalog, Till: s.till, Sales: s.sales, Reconcile: s.reconcile, Webhook: webhook, Bus: s.bus, Log: s.log, Now: now, Limiter: s.limiter(), Metrics: s.metrics,
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

// newWebhook returns the opener of webhooks, with the private keys for
// encrypted ones if there are any. Who has an API key need not name the identity
// provider, which has the public keys; the service's own address may have them.
func (c config) newWebhook(log *slog.Logger) (*apiclient.Webhook, error) {
	keys, err := apiclient.NewWebhookKeys(apiclient.WebhookKeysDeps{AuthURL: cmp.Or(c.UpstreamAuthURL, c.UpstreamBaseURL), Now: now, Log: log})
	if err != nil {
		return nil, err
	}
	d := apiclient.WebhookDeps{Keys: keys, HeaderPrefix: c.WebhookHeaderPrefix, SignedOrder: c.WebhookSignedOrder}
	if c.WebhookPrivateKey != "" {
		pem, err := os.ReadFile(c.WebhookPrivateKey)
		if err != nil {
			return nil, fmt.Errorf("WEBHOOK_PRIVATE_KEY_FILE: %w", err)
		}
		if d.PrivateKeys, err = apiclient.ParsePrivateKeys(pem); err != nil {
			return nil, fmt.Errorf("WEBHOOK_PRIVATE_KEY_FILE: %w", err)
		}
	}
	return apiclient.NewWebhook(d)
}
