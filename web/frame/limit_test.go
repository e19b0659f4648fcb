package frame

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"airtill/internal/harness/redistest"
)

// limiters returns each implementation twice, as two processes would hold it;
// the memory of one process is the same limiter.
func limiters(t *testing.T) map[string][2]Limiter {
	t.Helper()
	memory := NewMemoryLimiter(time.Now)
	all := map[string][2]Limiter{"memory": {memory, memory}}
	if redistest.Named() {
		all["redis"] = [2]Limiter{redisLimiter(t), redisLimiter(t)}
	}
	return all
}

func redisLimiter(t *testing.T) *RedisLimiter {
	t.Helper()
	return NewRedisLimiter(redistest.New(t), NewMemoryLimiter(time.Now), slog.New(slog.DiscardHandler))
}

func take(t *testing.T, l Limiter, key string, rate Rate) time.Duration {
	t.Helper()
	wait, err := l.Take(t.Context(), key, rate)
	require.NoError(t, err)
	return wait
}

func TestLimiterConformance(t *testing.T) {
	t.Parallel()
	for name, pair := range limiters(t) {
		one, other := pair[0], pair[1]
		t.Run(name+"/a burst, then a wait, across processes", func(t *testing.T) {
			t.Parallel()
			key, rate := ulid.Make().String(), Rate{Burst: 4, Every: time.Hour}
			for i := range 4 {
				require.Zero(t, take(t, []Limiter{one, other}[i%2], key, rate))
			}
			for range 20 { // refusals are not counted, or who waits would never get in
				for _, l := range pair {
					wait := take(t, l, key, rate)
					require.Greater(t, wait, 59*time.Minute)
					require.LessOrEqual(t, wait, time.Hour)
				}
			}
			require.Zero(t, take(t, one, key+"x", rate), "another key has its own count")
		})
		t.Run(name+"/one more every so often", func(t *testing.T) {
			t.Parallel()
			key, rate := ulid.Make().String(), Rate{Burst: 2, Every: 50 * time.Millisecond}
			started, passed := time.Now(), 0
			require.Eventually(t, func() bool {
				if take(t, one, key, rate) == 0 {
					passed++
				}
				return passed == 6
			}, time.Minute, 5*time.Millisecond, "six requests")
			require.GreaterOrEqual(t, time.Since(started), 4*rate.Every-time.Millisecond, "two at once, four that waited")
		})
		t.Run(name+"/many at the same moment", func(t *testing.T) {
			t.Parallel()
			key, rate := ulid.Make().String(), Rate{Burst: 7, Every: time.Hour}
			var passed atomic.Int64
			var group errgroup.Group
			for i := range 60 {
				group.Go(func() error {
					wait, err := pair[i%2].Take(t.Context(), key, rate)
					if wait == 0 {
						passed.Add(1)
					}
					return err
				})
			}
			require.NoError(t, group.Wait())
			require.EqualValues(t, 7, passed.Load())
		})
	}
}

// TestRealRedis fails where a Redis run was promised and did not come.
func TestRealRedis(t *testing.T) {
	t.Parallel()
	l := redisLimiter(t)
	key := ulid.Make().String()
	require.Zero(t, take(t, l, key, Rate{Burst: 1, Every: time.Minute}))
	left, err := l.client.PTTL(t.Context(), redisKeySpace+key).Result()
	require.NoError(t, err)
	require.Greater(t, left, 50*time.Second)
	require.LessOrEqual(t, left, time.Minute+time.Second, "a count goes when it no longer counts")
}

func TestWithoutRedisEachProcessLimitsByItself(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	l := NewRedisLimiter(redistest.Gone(t), NewMemoryLimiter(time.Now), slog.New(slog.NewTextHandler(&log, nil)))
	rate := Rate{Burst: 3, Every: time.Hour}
	for range 3 {
		require.Zero(t, take(t, l, "k", rate))
	}
	require.Positive(t, take(t, l, "k", rate), "never open")
	require.Equal(t, 1, strings.Count(log.String(), "limiter.redis-lost"), "said once")
}

func TestMemoryLimiterForgetsAndStaysSmall(t *testing.T) {
	t.Parallel()
	now := time.Now()
	l := NewMemoryLimiter(func() time.Time { return now })
	l.most = 2000
	rate := Rate{Burst: 1, Every: time.Minute}
	for i := range 5000 {
		_ = take(t, l, fmt.Sprint(i), rate)
	}
	require.LessOrEqual(t, len(l.free), 2001)
	require.Positive(t, take(t, l, "one more", rate), "a flood does not open it")
	require.Positive(t, take(t, l, "7", rate), "nor does it forget whom it has counted")
	now = now.Add(2 * time.Minute)
	for i := range 5000 {
		require.Zero(t, take(t, l, fmt.Sprint("later", i), Rate{Burst: 1, Every: time.Nanosecond}))
		now = now.Add(time.Microsecond)
	}
	require.LessOrEqual(t, len(l.free), 2048)
}
