package main

import (
	"cmp"
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"airtill/internal/apiclient"
	"airtill/internal/firstrun"
	"airtill/internal/logo"
	"airtill/internal/receipt"
	"airtill/web"
)

// buildPages makes the handler of everything that is asked for over HTTP.
func (s *shop) buildPages() error {
	webhook, err := s.config.newWebhook(s.log)
	if err != nil {
		return err
	}
	s.pages, err = web.New(web.Deps{
		DB: s.db, Staff: s.staff, Catalog: s.catalog, Till: s.till, Customers: s.customers, Logos: s.logos(), Approvals: s.approvals, Alerts: s.alerts,
		Receipts: receipt.New(receipt.Deps{DB: s.db, Audit: s.audit, Now: now}),
		Sales:    s.sales, Reconcile: s.reconcile, Statements: s.statements, Report: s.report, Forecast: s.forecast, Pricing: s.pricing, Invariants: s.invariants, Audit: s.audit,
		Board: s.board,
		Setup: firstrun.New(firstrun.Deps{DB: s.db, Audit: s.audit, Now: now}), Jobs: s.jobs,
		Webhook: webhook, Bus: s.bus, Log: s.log, Now: now, Limiter: s.limiter(), Metrics: s.metrics, Redis: s.pingRedis(), Writes: s.writes,
		Practice: s.config.Practice, PublicURL: s.config.PublicURL, TrustedProxies: s.config.TrustedProxies, MetricsToken: string(s.config.MetricsToken), Ready: s.ready,
	})
	return err
}

func (s *shop) logos() *logo.Logos {
	return logo.New(logo.Deps{DB: s.db, Now: now, Log: s.log, Hosts: s.config.LogoHosts, Simulator: s.config.logoSimulator})
}

// pingRedis asks Redis whether it is there; nil where it is not used.
func (s *shop) pingRedis() func(context.Context) error {
	if s.redis == nil {
		return nil
	}
	return func(ctx context.Context) error { return s.redis.Ping(ctx).Err() }
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
	server := web.NewHTTPServer(s.config.ListenAddr, s.pages, s.log)
	server.BaseContext = func(net.Listener) context.Context { return pages }
	return server
}

// newWebhook returns the opener of webhooks, with the private keys for
// encrypted ones if there are any.
func (c config) newWebhook(log *slog.Logger) (*apiclient.Webhook, error) {
	keys, err := apiclient.NewWebhookKeys(apiclient.WebhookKeysDeps{AuthURL: c.webhookAddress(), Now: now, Log: log})
	if err != nil {
		return nil, err
	}
	private, err := c.webhookPrivateKeys()
	if err != nil {
		return nil, err
	}
	return apiclient.NewWebhook(apiclient.WebhookDeps{Keys: keys, HeaderPrefix: c.WebhookHeaderPrefix, SignedOrder: c.WebhookSignedOrder, PrivateKeys: private})
}

// webhookAddress is where the public keys are. Who has an API key need not name
// the identity provider; the service's own address may have them.
func (c config) webhookAddress() string { return cmp.Or(c.UpstreamAuthURL, c.UpstreamBaseURL) }

// webhookPrivateKeys reads the current key and, while it is being changed, its
// predecessor; none if there is no file.
func (c config) webhookPrivateKeys() ([]*rsa.PrivateKey, error) {
	if c.WebhookPrivateKey == "" {
		return nil, nil
	}
	text, err := readKey(c.WebhookPrivateKey)
	if err != nil {
		return nil, fmt.Errorf("WEBHOOK_PRIVATE_KEY_FILE: %w", err)
	}
	keys, err := apiclient.ParsePrivateKeys(text)
	if err != nil {
		return nil, fmt.Errorf("WEBHOOK_PRIVATE_KEY_FILE: %w", err)
	}
	return keys, nil
}
