package frame

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	redisWithin   = 250 * time.Millisecond // a limit must not cost more than what it guards
	redisKeySpace = "airtill:limit:"
)

// takeScript is MemoryLimiter.Take by the clock of Redis, on which processes agree. It counts in whole
// microseconds.
var takeScript = redis.NewScript(`
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local burst, every = tonumber(ARGV[1]), tonumber(ARGV[2])
local free = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now)
local wait = free - now - (burst - 1) * every
if wait > 0 then return wait end
free = free + every
redis.call('SET', KEYS[1], string.format('%.0f', free), 'PX', math.ceil((free - now) / 1000) + 1)
return 0`)

// RedisLimiter limits all processes together. Without Redis each process limits by itself, which lets more
// through, but never everything.
type RedisLimiter struct {
	client redis.UniversalClient
	local  *MemoryLimiter
	log    *slog.Logger
	down   atomic.Bool
}

// NewRedisLimiter returns a limiter that falls back on local.
func NewRedisLimiter(client redis.UniversalClient, local *MemoryLimiter, log *slog.Logger) *RedisLimiter {
	return &RedisLimiter{client: client, local: local, log: log}
}

// Take never fails.
func (l *RedisLimiter) Take(ctx context.Context, key string, rate Rate) (time.Duration, error) {
	within, cancel := context.WithTimeout(ctx, redisWithin)
	defer cancel()
	micros, err := takeScript.Run(
		within, l.client, []string{redisKeySpace + key}, rate.Burst, rate.Every.Microseconds(),
	).Int64()
	if err != nil {
		if !l.down.Swap(true) {
			l.log.WarnContext(ctx, "limiter.redis-lost", "error", err)
		}
		return l.local.Take(ctx, key, rate)
	}
	if l.down.Swap(false) {
		l.log.InfoContext(ctx, "limiter.redis-back")
	}
	return time.Duration(micros) * time.Microsecond, nil
}
