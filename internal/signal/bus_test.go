package signal_test

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"airtill/internal/signal"
)

// heard says whether a hint waits.
func heard(hints <-chan struct{}) bool {
	select {
	case <-hints:
		return true
	default:
		return false
	}
}

// Who does not listen holds up nobody, and finds one hint however many came.
func TestPublishingNeverWaits(t *testing.T) {
	t.Parallel()
	bus := signal.NewMemory()
	slow, stopSlow := bus.Subscribe("sale")
	defer stopSlow()
	quick, stopQuick := bus.Subscribe("sale")
	defer stopQuick()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				bus.Publish(t.Context(), "sale")
			}
		})
	}
	all.Wait()
	require.True(t, heard(quick))
	require.False(t, heard(quick))
	bus.Publish(t.Context(), "sale")
	require.True(t, heard(quick), "and the next that comes")
	require.True(t, heard(slow))
	require.False(t, heard(slow))
}

// Each subscriber ends its own subscription, once or twice, and leaves the others theirs.
func TestASubscriptionEndsAlone(t *testing.T) {
	t.Parallel()
	bus := signal.NewMemory()
	one, stopOne := bus.Subscribe("sale", "till")
	two, stopTwo := bus.Subscribe("till")
	defer stopTwo()
	stopOne()
	stopOne()
	bus.Publish(t.Context(), "till")
	require.False(t, heard(one))
	require.True(t, heard(two))
	bus.Publish(t.Context(), "sale") // nobody is left
	again, stop := bus.Subscribe("sale")
	defer stop()
	require.False(t, heard(again), "what came before is not told")
	bus.Publish(t.Context(), "sale")
	require.True(t, heard(again))
}

// While Redis is away hints reach this process, at once and without a wait; what is lost is told of once, not for each.
func TestWithoutRedisHintsReachThisProcess(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var logged []string
	log := slog.New(slog.NewTextHandler(lines(func(line string) {
		mu.Lock()
		defer mu.Unlock()
		logged = append(logged, line)
	}), nil))
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1, DialTimeout: 50 * time.Millisecond})
	defer client.Close()
	bus := signal.NewRedis(t.Context(), client, func() bool { return false }, log)
	hints, stop := bus.Subscribe("sale")
	defer stop()
	for range 5000 { // more than wait for Redis
		bus.Publish(t.Context(), "sale")
	}
	require.True(t, heard(hints))
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(logged) > 0
	}, time.Minute, time.Millisecond)
	require.NoError(t, bus.Close())
	require.Len(t, logged, 1)
	require.Contains(t, logged[0], "signal.lost")
	bus.Publish(t.Context(), "sale")
	require.True(t, heard(hints), "until the process ends")
}

type lines func(string)

func (l lines) Write(text []byte) (int, error) { l(string(text)); return len(text), nil }

// A hint of one process reaches those of another that share a Redis, of its topic alone.
