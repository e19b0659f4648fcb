package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// NewUpstream returns a client of the transfer service; budget and metrics may be nil.
func (c Config) NewUpstream(
	budget apiclient.Budget, metrics prometheus.Registerer, log *slog.Logger, now func() time.Time,
) (*apiclient.Client, error) {
	return apiclient.New(apiclient.Deps{
		BaseURL: c.UpstreamBaseURL, AuthURL: c.UpstreamAuthURL, APIKey: string(c.UpstreamAPIKey),
		ClientID: c.UpstreamClientID, ClientSecret: string(c.UpstreamClientSecret),
		Budget: budget, Metrics: metrics, Log: log, Now: now,
	})
}

// SharedBudget counts, in Redis, the calls of all processes with the same credential.
func (c Config) SharedBudget(client *redis.Client, log *slog.Logger, now func() time.Time) apiclient.Budget {
	return apiclient.NewRedisBudget(client, c.UpstreamClientID+string(c.UpstreamAPIKey), now, log)
}

// Upstream returns a client for a command, whose calls count with those of the till, and what ends it.
func (b *Books) Upstream() (client *apiclient.Client, end func() error, err error) {
	if b.Config.RedisURL == "" {
		return b.upstream(nil, nil)
	}
	shared, err := NewRedis(b.Config, nil)
	if err != nil {
		return nil, nil, err
	}
	client, endOwn, err := b.upstream(shared, nil)
	if err != nil {
		return nil, nil, errors.Join(err, shared.Close())
	}
	return client, func() error { return errors.Join(endOwn(), shared.Close()) }, nil
}

// upstream returns a client of the transfer service, and what ends it; shared: nil without Redis.
func (b *Books) upstream(
	shared *redis.Client, metrics prometheus.Registerer,
) (client *apiclient.Client, end func() error, err error) {
	budget, endBudget, err := b.budget(shared)
	if err != nil {
		return nil, nil, err
	}
	if client, err = b.Config.NewUpstream(budget, metrics, b.Log, b.Now); err != nil {
		return nil, nil, errors.Join(err, endBudget())
	}
	return client, func() error { client.Close(); return endBudget() }, nil
}

// budget is shared by all processes with the same credential. With a SQLite file, used by one process at a
// time, each passes it on to the next.
func (b *Books) budget(shared *redis.Client) (budget apiclient.Budget, end func() error, err error) {
	end = func() error { return nil }
	path, file := strings.CutPrefix(b.Config.DatabaseURL, "sqlite:")
	switch {
	case b.d.Budget != nil:
		return b.d.Budget, end, nil
	case shared != nil:
		return b.Config.SharedBudget(shared, b.Log, b.Now), end, nil
	case !file:
		return apiclient.NewMemoryBudget(b.Now), end, nil
	}
	if err := store.MakeFile(path + ".calls"); err != nil {
		return nil, nil, fmt.Errorf("open the budget: %w", err)
	}
	stored, err := apiclient.OpenFileBudget(path+".calls", b.Now)
	if err != nil {
		return nil, nil, err
	}
	return stored, stored.Close, nil
}

// mostAhead is nothing beside the weeks for which data is retained.
const mostAhead = time.Hour

// rightClock asks the upstream, since what the last answer told may be older than the clock's error. A clock far ahead
// takes certificates to be expired: no answer proves nothing.
func (a *App) rightClock(ctx context.Context) error {
	if _, err := a.Client.GetBalance(ctx); err != nil {
		return fault.Doing("compare clocks", err)
	}
	if a.Client.ClockAhead() > mostAhead {
		return fault.New(fault.Unavailable, "clock.ahead")
	}
	return nil
}
