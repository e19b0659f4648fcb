package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"airtill/internal/health"
	"airtill/internal/signal"
)

const (
	// redisWithin bounds every call: what Redis holds may be lost, and a cashier must not wait for it.
	redisWithin = 250 * time.Millisecond
	// catalogueWithin is for the whole catalogue, which nobody waits for.
	catalogueWithin = 3 * time.Second
	redisAskedEvery = 500 * time.Millisecond
)

// ErrRedisHangs is the answer to every call while Redis does not answer in time.
var ErrRedisHangs = errors.New("redis does not answer in time")

// breaker blocks calls to Redis after one has timed out, until Redis answers again. It is go-redis's Limiter.
type breaker struct{ open, away atomic.Bool }

// there says whether Redis did what it was asked when it was last asked.
func (b *breaker) there() bool { return !b.away.Load() }

// Allow refuses while the breaker is open.
func (b *breaker) Allow() error {
	if b.open.Load() {
		return ErrRedisHangs
	}
	return nil
}

// ReportResult opens the breaker after a time-out. A refused connection fails at once and needs no breaker.
func (b *breaker) ReportResult(err error) {
	var late net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late) && late.Timeout() {
		b.open.Store(true)
	}
}

// watch asks Redis, through a client of its own, whether it answers, so that no waiting caller has to try.
func (b *breaker) watch(ctx context.Context, probe *redis.Client, log *slog.Logger) {
	tick := time.NewTicker(redisAskedEvery)
	defer tick.Stop()
	for told := ""; ; {
		err := TryRedis(ctx, probe)
		refused := errors.Is(err, health.ErrRefused)
		b.away.Store(err != nil)
		if err == nil || refused {
			b.open.Store(false)
		} else {
			b.ReportResult(err)
		}
		trouble := ""
		switch {
		case ctx.Err() != nil:
			return
		case refused:
			trouble = "redis.refuses"
		case b.open.Load():
			trouble = "redis.hangs"
		}
		switch trouble {
		case told:
		case "":
			log.InfoContext(ctx, "redis.back")
		default:
			log.WarnContext(ctx, trouble, "error", err)
		}
		told = trouble
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (a *App) connectRedis(ctx context.Context) error {
	a.Bus = signal.NewMemory()
	if a.Config.RedisURL == "" {
		return nil
	}
	b := new(breaker)
	client, err := NewRedis(a.Config, b)
	if err != nil {
		return err
	}
	probe, err := NewRedis(a.Config, nil)
	if err != nil {
		return errors.Join(err, client.Close())
	}
	watching, still := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() { defer close(watched); b.watch(watching, probe, a.Log) }()
	bus := signal.NewRedis(ctx, client, b.there, a.Log)
	a.Redis, a.Bus = client, bus
	a.closing(client.Close)
	a.closing(func() error { still(); <-watched; return probe.Close() })
	a.closing(bus.Close)
	return nil
}

// NewRedis returns a client whose calls end within redisWithin; b may be nil.
func NewRedis(c Config, b *breaker) (*redis.Client, error) {
	options, err := redis.ParseURL(c.RedisURL)
	if err != nil {
		// the cause would print the password
		return nil, errors.New("REDIS_URL cannot be read; write it like redis://:password@host:6379/0")
	}
	options.ContextTimeoutEnabled = true
	options.DialTimeout, options.PoolTimeout = redisWithin, redisWithin
	options.ReadTimeout, options.WriteTimeout = redisWithin, redisWithin
	options.MaxRetries, options.DialerRetries = -1, 1 // callers go on without it
	if b != nil {
		options.Limiter = b
	}
	return redis.NewClient(options), nil
}

// demand is what the till asks of Redis, in small: a script, a key and a channel. A Redis that is full, takes no writes
// or forbids one of them answers a ping all the same.
var demand = redis.NewScript(`
redis.call('SET', KEYS[1], '', 'PX', 60000)
redis.call('PUBLISH', ARGV[1], '')
return 1`)

// TryRedis returns why Redis does not do what the till needs of it, health.ErrRefused if it answers.
func TryRedis(ctx context.Context, client *redis.Client) error {
	const name = redisPrefix + "probe"
	err := demand.Run(ctx, client, []string{name}, name).Err()
	if _, ok := errors.AsType[redis.Error](err); ok {
		return fmt.Errorf("%w: %w", health.ErrRefused, err)
	}
	return err
}

// PingRedis asks Redis whether it does what the till needs; nil where it is not used.
func (a *App) PingRedis() func(context.Context) error {
	if a.Redis == nil {
		return nil
	}
	return func(ctx context.Context) error { return TryRedis(ctx, a.Redis) }
}
