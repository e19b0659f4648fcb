package catalog_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
)

// redisCache is the cache of one installation.
func redisCache(client *redis.Client, prefix string) *catalog.RedisCache {
	return catalog.NewRedisCache(client, prefix, []byte("of this installation"))
}

// eachCache is the conformance suite's choice: every implementation, opened by
// two processes (in memory, two services of one).
func eachCache(t *testing.T, test func(t *testing.T, one, other catalog.Cache)) {
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		cache := catalog.NewMemoryCache()
		test(t, cache, cache)
	})
	t.Run("redis", func(t *testing.T) {
		t.Parallel()
		client, prefix := redisClient(t)
		other, _ := redisClient(t)
		test(t, redisCache(client, prefix), redisCache(other, prefix))
	})
}

func TestCacheKeepsTheNewestUnderItsName(t *testing.T) {
	t.Parallel()
	eachCache(t, func(t *testing.T, one, other catalog.Cache) {
		b := newBench(t, storetest.New(t), newListed(t, stock(20)...), withCache(one))
		b.syncAll(t)
		name := catalog.NameOf(b.Current())
		got, err := other.Get(t.Context(), name)
		require.NoError(t, err)
		require.Equal(t, 20, got.Size())
		require.EqualValues(t, 1, got.Version())
		want, _ := b.Current().Product("SKU007")
		found, ok := got.Product("SKU007")
		require.True(t, ok)
		require.Equal(t, want, found)
		require.Equal(t, b.Current().Text(want, "fr"), got.Text(found, "fr"))

		elsewhere := name
		elsewhere.MadeAt = elsewhere.MadeAt.Add(time.Second)
		_, err = other.Get(t.Context(), elsewhere)
		require.ErrorIs(t, err, catalog.ErrNotCached, "the version of a former life")
		later := name
		later.Number++
		_, err = other.Get(t.Context(), later)
		require.ErrorIs(t, err, catalog.ErrNotCached)
	})
}

func TestCacheNotifiesEveryListener(t *testing.T) {
	t.Parallel()
	eachCache(t, func(t *testing.T, one, other catalog.Cache) {
		b := newBench(t, storetest.New(t), newListed(t, stock(3)...))
		b.syncAll(t)
		first, second := one.Notices(t.Context()), other.Notices(t.Context())
		// A subscription may still be on its way: notices come until one arrives.
		for _, notices := range []<-chan struct{}{first, second} {
			require.Eventually(t, func() bool {
				require.NoError(t, one.Put(t.Context(), b.Current()))
				select {
				case <-notices:
					return true
				case <-time.After(50 * time.Millisecond):
					return false
				}
			}, time.Minute, time.Millisecond)
		}
	})
}
