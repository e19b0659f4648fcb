package signal_test

import (
	"crypto/rand"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/redistest"
	"airtill/internal/signal"
)

// redisBus is the bus of one process, and the name of its connections.
func redisBus(t *testing.T) (bus *signal.Redis, name string) {
	t.Helper()
	name = rand.Text()
	client := redistest.New(t, func(o *redis.Options) { o.ClientName = name })
	bus = signal.NewRedis(t.Context(), client, func() bool { return true }, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { require.NoError(t, bus.Close()) })
	return bus, name
}

// connected waits until the hints of one process reach another.
func connected(t *testing.T, from, to *signal.Redis) {
	t.Helper()
	topic := rand.Text()
	hints, leave := to.Subscribe(topic)
	defer leave()
	require.Eventually(t, func() bool {
		from.Publish(t.Context(), topic)
		return heard(hints)
	}, time.Minute, 10*time.Millisecond)
}

func comes(t *testing.T, hints <-chan struct{}) {
	t.Helper()
	require.Eventually(t, func() bool { return heard(hints) }, time.Minute, 10*time.Millisecond)
}

func TestAHintComesOnceToEachProcess(t *testing.T) {
	t.Parallel()
	one, _ := redisBus(t)
	two, _ := redisBus(t)
	connected(t, one, two)
	connected(t, two, one)
	topic, another := rand.Text(), rand.Text()
	here, leave := one.Subscribe(topic)
	defer leave()
	there, leave := two.Subscribe(topic)
	defer leave()
	other, leave := two.Subscribe(another)
	defer leave()
	answer, leave := one.Subscribe(another)
	defer leave()

	one.Publish(t.Context(), topic)
	require.True(t, heard(here), "at once")
	comes(t, there)
	require.False(t, heard(other))
	two.Publish(t.Context(), another)
	comes(t, answer) // and whatever Redis had for this process before it
	require.False(t, heard(here), "a process's own hint does not come back to it")
}

// What was sent while a process could not hear is lost, so whoever waits in it looks at the rows.
func TestAfterAGapEverybodyLooks(t *testing.T) {
	t.Parallel()
	one, name := redisBus(t)
	two, _ := redisBus(t)
	connected(t, two, one)
	hints, leave := one.Subscribe(rand.Text())
	defer leave()
	require.False(t, heard(hints))
	cut(t, name)
	comes(t, hints)
}

// cut ends the subscription among a process's connections to Redis.
func cut(t *testing.T, name string) {
	t.Helper()
	client := redistest.New(t)
	all, err := client.Do(t.Context(), "CLIENT", "LIST", "TYPE", "pubsub").Text()
	require.NoError(t, err)
	for line := range strings.Lines(all) {
		if strings.Contains(line, " name="+name+" ") {
			id, _, _ := strings.Cut(strings.TrimPrefix(line, "id="), " ")
			require.NoError(t, client.ClientKillByFilter(t.Context(), "ID", id).Err())
			return
		}
	}
	require.Fail(t, "no subscription was found")
}
