// Package redistest gives tests clients of the Redis that TEST_REDIS_URL names.
package redistest

import (
	"os"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// Named says whether there is a Redis for tests.
func Named() bool { return os.Getenv("TEST_REDIS_URL") != "" }

// New returns a client until the test ends, which is skipped where there is no Redis.
func New(t testing.TB, change ...func(*redis.Options)) *redis.Client {
	t.Helper()
	if !Named() {
		t.Skip("TEST_REDIS_URL is not set: Redis was not used")
	}
	options, err := redis.ParseURL(os.Getenv("TEST_REDIS_URL"))
	require.NoError(t, err)
	for _, c := range change {
		c(options)
	}
	client := redis.NewClient(options)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	return client
}

// Gone returns a client of a Redis that is not there.
func Gone(t testing.TB) *redis.Client {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"})
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	return client
}
