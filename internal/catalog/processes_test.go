package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/jobs"
	"airtill/internal/store"
)

// work runs a process's jobs until the test ends.
func (b *bench) work(t *testing.T) {
	t.Helper()
	runner, err := jobs.New(jobs.Deps{
		DB: b.db, Process: ulid.Make().String(), Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}, b.Jobs()...)
	require.NoError(t, err)
	require.NoError(t, runner.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, runner.Stop(context.WithoutCancel(t.Context()))) })
}

// serves waits until a process serves so many products.
func (b *bench) serves(t *testing.T, products int, within time.Duration) {
	t.Helper()
	require.Eventually(t, func() bool { return b.Current().Size() == products }, within, 5*time.Millisecond,
		"serves %d products of version %d", b.Current().Size(), b.Current().Version())
}

const soon = time.Minute

// Two processes on one database and one Redis: the jobs of both run, each
// resource is asked for once, both serve.
func TestTwoProcessesSyncOnceAndBothServe(t *testing.T) {
	t.Parallel()
	client, prefix := redisClient(t)
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		cache := redisCache(client, prefix+string(db.Dialect())+":")
		one, two := newBench(t, db, u, withCache(cache)), newBench(t, db, u, withCache(cache))
		for _, b := range []*bench{one, two} {
			b.work(t)
			require.NoError(t, b.Start(t.Context()))
		}
		one.serves(t, 20, soon)
		two.serves(t, 20, soon)
		require.Eventually(t, func() bool {
			return u.count("GetErrorCodeDescriptions") == 1 && one.Current().Version() == two.Current().Version()
		}, soon, 5*time.Millisecond)
		require.Equal(t, 1, u.count("GetProducts"))
		require.Equal(t, 4, u.count("GetProductDescriptions"), "once a language")

		u.restock(t, stock(19)...)
		require.NoError(t, two.SyncNow(t.Context()))
		one.serves(t, 19, soon)
		two.serves(t, 19, soon)
		require.Equal(t, 2, u.count("GetProducts"))
	})
}

func TestConcurrentSyncsAskOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		var group errgroup.Group
		for range 4 {
			b := newBench(t, db, u)
			group.Go(func() error { return b.SyncDue(t.Context()) })
		}
		require.NoError(t, group.Wait())
		for _, method := range []string{"GetCountries", "GetProviders", "GetProducts", "GetPromotions", "GetProviderStatus"} {
			require.Equal(t, 1, u.count(method), method)
		}
	})
}

func TestNewVersionIsFoundWithoutRedis(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		one, two := newBench(t, db, u), newBench(t, db, u)
		require.NoError(t, two.Start(t.Context()))
		one.syncAll(t)
		two.serves(t, 20, soon)
	})
}

func TestRedisFlushedOrGoneLosesNothing(t *testing.T) {
	t.Parallel()
	client, prefix := redisClient(t)
	gone := redis.NewClient(&redis.Options{
		Addr: "127.0.0.1:1", MaxRetries: -1, DialerRetries: 1,
		Dialer: func(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed },
	})
	t.Cleanup(func() { require.NoError(t, gone.Close()) })
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		mine := prefix + string(db.Dialect()) + ":"
		one := newBench(t, db, u, withCache(redisCache(client, mine)))
		one.syncAll(t)
		keys, err := client.Keys(t.Context(), mine+"*").Result()
		require.NoError(t, err)
		require.Len(t, keys, 1, "the version is there for others")
		require.NoError(t, client.Del(t.Context(), keys...).Err())
		require.Equal(t, 20, one.Current().Size())

		flushed := newBench(t, db, u, withCache(redisCache(client, mine)))
		require.NoError(t, flushed.Start(t.Context()))
		require.Equal(t, 20, flushed.Current().Size())

		without := newBench(t, db, u, withCache(redisCache(gone, mine)))
		require.NoError(t, without.Start(t.Context()))
		require.Equal(t, 20, without.Current().Size())
		u.restock(t, stock(21)...)
		without.syncAll(t)
		require.Equal(t, 21, without.Current().Size())
		require.Contains(t, without.log.String(), "catalog.cache_failed")
		flushed.serves(t, 21, soon)
	})
}

// Whoever writes to Redis decides nothing of what is sold, and for how much.
func TestACatalogueThatSomebodyElseWroteIsNotServed(t *testing.T) {
	t.Parallel()
	client, prefix := redisClient(t)
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		mine, theirs := prefix+string(db.Dialect())+":", prefix+string(db.Dialect())+":theirs:"
		only := func(prefix string) string {
			keys, err := client.Keys(t.Context(), prefix+"catalog:*").Result()
			require.NoError(t, err)
			require.Len(t, keys, 1)
			return keys[0]
		}
		u, cache := newListed(t, stock(20)...), withCache(redisCache(client, mine))
		newBench(t, db, u, cache).syncAll(t)
		forged := withCache(redisCache(client, theirs))
		newBench(t, storetest.New(t), newListed(t, stock(3)...), forged).syncAll(t)
		body, err := client.Get(t.Context(), only(theirs)).Bytes()
		require.NoError(t, err)
		require.NoError(t, client.Set(t.Context(), only(mine), body, time.Hour).Err())

		next := newBench(t, db, u, cache)
		require.NoError(t, next.Start(t.Context()))
		require.Equal(t, 20, next.Current().Size())
		require.Contains(t, next.log.String(), "catalog.cache_failed")
	})
}

// TestUnreadableCacheIsReplaced: one process says so, not each that starts within two days.
func TestUnreadableCacheIsReplaced(t *testing.T) {
	t.Parallel()
	client, prefix := redisClient(t)
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u, mine := newListed(t, stock(20)...), prefix+string(db.Dialect())+":"
		cache := withCache(redisCache(client, mine))
		newBench(t, db, u, cache).syncAll(t)
		keys, err := client.Keys(t.Context(), mine+"*").Result()
		require.NoError(t, err)
		require.Len(t, keys, 1)
		require.NoError(t, client.Set(t.Context(), keys[0], "damaged", time.Hour).Err())

		first, second := newBench(t, db, u, cache), newBench(t, db, u, cache)
		require.NoError(t, first.Start(t.Context()))
		require.Equal(t, 20, first.Current().Size())
		require.Contains(t, first.log.String(), "catalog.cache_failed")
		require.NoError(t, second.Start(t.Context()))
		require.Equal(t, 20, second.Current().Size())
		require.Empty(t, second.log.String())

		own := redisCache(client, mine)
		require.NoError(t, own.Put(t.Context(), second.Current()))
		_, err = own.Get(t.Context(), catalog.NameOf(second.Current()))
		require.NoError(t, err)
	})
}

// answerStatus makes the upstream say this of one provider and nothing of
// others.
func answerStatus(u *upstream, provider string, processing bool, message string) {
	u.alter(func(method string, body []byte) []byte {
		if method != "GetProviderStatus" {
			return body
		}
		return fmt.Appendf(nil, `{"ResultCode":1,"ErrorCodes":[],"Items":[{"ProviderCode":%q,"IsProcessingTransfers":%t,"Message":%q}]}`, provider, processing, message)
	})
}

// A provider that stops is known everywhere at once, and nothing else is loaded
// anew for it.
func TestStatusChangeReachesEveryProcess(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		cache := catalog.NewMemoryCache()
		one, two := newBench(t, db, u, withCache(cache)), newBench(t, db, u, withCache(cache))
		answerStatus(u, "ZEIE", true, "")
		one.syncAll(t)
		require.NoError(t, two.Start(t.Context()))
		p, _ := two.Current().Product("SKU001")
		require.True(t, two.Current().ProviderUp(p.Provider))
		version := two.Current().Version()

		answerStatus(u, p.Provider, false, "Back at noon")
		one.clock.advance(2 * time.Minute)
		require.NoError(t, one.SyncStatuses(t.Context()))
		require.Eventually(t, func() bool { return !two.Current().ProviderUp(p.Provider) }, soon, time.Millisecond)
		require.Equal(t, "Back at noon", two.Current().ProviderStatus(p.Provider).Message)
		require.Equal(t, version, two.Current().Version())
		same, _ := two.Current().Product("SKU001")
		require.Same(t, p, same)
	})
}

// TestTroubleThatEndsIsNotHeldBack: when the upstream goes on to name but a few of many providers, the others take
// transfers again. Held back, that would stop all selling once the statuses are old.
func TestTroubleThatEndsIsNotHeldBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		stopped := func(providers int) {
			u.alter(func(method string, body []byte) []byte {
				if method != "GetProviderStatus" {
					return body
				}
				var items []string
				for i := range providers {
					items = append(items, fmt.Sprintf(`{"ProviderCode":"P%02d","IsProcessingTransfers":false}`, i))
				}
				return fmt.Appendf(nil, `{"ResultCode":1,"ErrorCodes":[],"Items":[%s]}`, strings.Join(items, ","))
			})
		}
		b := newBench(t, db, u)
		stopped(12)
		b.syncAll(t)
		require.False(t, b.Current().ProviderUp("P11"))

		stopped(2)
		b.clock.advance(2 * time.Minute)
		require.NoError(t, b.SyncStatuses(t.Context()))
		require.Equal(t, catalog.Done, b.lastRun(t, catalog.Statuses).Outcome)
		require.True(t, b.Current().ProviderUp("P11"))
		require.False(t, b.Current().ProviderUp("P01"))
		require.WithinDuration(t, b.clock.now(), b.Current().StatusAsOf(), time.Minute)
	})
}

func TestCheckProviderAsksOnlyWhatHasGrownOld(t *testing.T) {
	t.Parallel()
	u := newListed(t, stock(5)...)
	b := newBench(t, storetest.New(t), u)
	answerStatus(u, "ZEIE", true, "")
	b.syncAll(t)
	require.True(t, b.CheckProvider(t.Context(), "ZEIE").Processing)
	require.Equal(t, 1, u.count("GetProviderStatus"))

	b.clock.advance(5 * time.Minute)
	answerStatus(u, "ZEIE", false, "")
	require.False(t, b.CheckProvider(t.Context(), "ZEIE").Processing)
	b.clock.advance(5 * time.Minute)
	answerStatus(u, "ZEIE", true, "")
	u.shut()
	require.False(t, b.CheckProvider(t.Context(), "ZEIE").Processing, "the last known status has to do")
}

// However many cashiers wait, a status that has grown old is asked for once, and
// one that cannot be had is asked for once a minute: the limit is for ten
// minutes, and it must not be gone when the upstream is back.
func TestCheckProviderSparesTheLimit(t *testing.T) {
	t.Parallel()
	u := newListed(t, stock(5)...)
	b := newBench(t, storetest.New(t), u)
	answerStatus(u, "ZEIE", true, "")
	b.syncAll(t)
	b.clock.advance(5 * time.Minute)
	u.shut()
	for range 20 {
		b.CheckProvider(t.Context(), "ZEIE")
	}
	require.Equal(t, 2, u.count("GetProviderStatus"))
	u.open()
	b.clock.advance(2 * time.Minute)
	for range 20 {
		b.CheckProvider(t.Context(), "ZEIE")
	}
	require.Equal(t, 3, u.count("GetProviderStatus"))
	require.Zero(t, b.clock.now().Sub(b.Current().StatusAsOf()).Truncate(time.Minute))
}

func TestStartAsksForTheFirstSyncAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, newListed(t, stock(3)...))
		require.NoError(t, b.Start(t.Context()))
		var jobs int64
		require.NoError(t, db.Read(t.Context()).Table("river_job").Where("kind = ?", "catalog.sync").Count(&jobs).Error)
		require.EqualValues(t, 1, jobs)
	})
}

// A till that was off overnight sells as soon as it is there, not once a leader's
// job has run.
func TestStartAsksForStatusesThatAreOld(t *testing.T) {
	t.Parallel()
	u := newListed(t, stock(3)...)
	b := newBench(t, storetest.New(t), u)
	answerStatus(u, "ZEIE", true, "")
	b.syncAll(t)
	b.clock.advance(12 * time.Hour)
	require.NoError(t, b.Start(t.Context()))
	require.Eventually(t, func() bool { return b.clock.now().Sub(b.Current().StatusAsOf()) < time.Minute },
		10*time.Second, 10*time.Millisecond)
	require.Equal(t, 2, u.count("GetProviderStatus"))
}

func TestForgetThrowsAwayWhatIsOld(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, newListed(t, stock(3)...))
		b.syncAll(t)
		require.NoError(t, b.Remember(t.Context(), "353871234567", "ZEIE", catalog.SourceSale))
		rows := func(table string) (n int64) {
			require.NoError(t, db.Read(t.Context()).Table(table).Count(&n).Error)
			return n
		}
		require.NoError(t, b.Forget(t.Context()))
		require.EqualValues(t, 1, rows("number_operators"))
		require.Positive(t, rows("catalog_runs"))
		b.clock.advance(500 * 24 * time.Hour)
		require.NoError(t, b.Forget(t.Context()))
		require.Zero(t, rows("number_operators"))
		require.Zero(t, rows("catalog_runs"))
		require.EqualValues(t, 3, rows("products"))
	})
}

// TestAKilledSyncHoldsUpNobody: what has no job any more is free at once, not when its lease ends.
func TestAKilledSyncHoldsUpNobody(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, newListed(t, stock(20)...))
		now := store.Moment(b.clock.now())
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			dead := catalog.Run{ID: "DEAD", Resource: catalog.Products, StartedAt: now, LeaseUntil: now.Add(2 * time.Minute)}
			over := catalog.Run{ID: "OVER", Resource: catalog.Regions, StartedAt: now, LeaseUntil: now, EndedAt: &now, Outcome: catalog.Done}
			return errors.Join(
				tx.Create(&dead).Error, tx.Create(&over).Error,
				tx.Exec(`INSERT INTO river_job (args, kind, max_attempts, queue, state, attempt, attempted_at)
					VALUES ('{}', 'catalog.sync_all', 1, 'default', 'running', 1, CURRENT_TIMESTAMP)`).Error,
			)
		}))
		require.NoError(t, b.Interrupt(t.Context()), "another process works on it")
		require.NoError(t, b.SyncDue(t.Context()))
		require.Equal(t, "DEAD", b.lastRun(t, catalog.Products).ID)

		require.NoError(t, db.Exec(t.Context(), "UPDATE river_job SET kind = 'mail.send'"))
		require.NoError(t, b.Interrupt(t.Context()), "whoever works on something else does not")
		require.Equal(t, catalog.Interrupted, b.lastRun(t, catalog.Products).Outcome)
		require.Equal(t, catalog.Done, b.lastRun(t, catalog.Regions).Outcome, "what is over stays as it ended")
		asked, err := store.Some(db.Read(t.Context()).Table("river_job").Where("kind = 'catalog.sync' AND state = 'available'"))
		require.NoError(t, err)
		require.True(t, asked)
		require.NoError(t, b.SyncDue(t.Context()))
		require.Equal(t, 20, b.Current().Size())
	})
}

// TestASyncThatStopsWithItsProcessHasNotFailed: the next process begins it at once, not after a minute, which a till
// that has no catalogue yet would not sell for.
func TestASyncThatStopsWithItsProcessHasNotFailed(t *testing.T) {
	t.Parallel()
	for when, begun := range map[string]string{"before an answer": "", "in the middle of one": `{"Items":[`} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				upstream := newListed(t, stock(20)...)
				b := newBench(t, db, upstream)
				process, stop := context.WithCancel(t.Context())
				upstream.stand(func(w http.ResponseWriter, r *http.Request) {
					if begun != "" {
						_, _ = w.Write([]byte(begun)) // who is to read it leaves
						_ = http.NewResponseController(w).Flush()
					}
					time.AfterFunc(100*time.Millisecond, stop) // for the answer to be read as far as it goes
					<-r.Context().Done()
				})
				require.Error(t, b.SyncDue(process))
				upstream.open()
				require.Equal(t, catalog.Interrupted, b.lastRun(t, catalog.Resources()[0]).Outcome)
				require.NoError(t, b.SyncDue(t.Context()))
				require.Equal(t, catalog.Done, b.lastRun(t, catalog.Resources()[0]).Outcome)
				require.Equal(t, 20, b.Current().Size())
			})
		})
	}
}

// TestARunThatLostItsResourceWritesNothing: another process may have newer prices by then.
func TestARunThatLostItsResourceWritesNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := newListed(t, stock(20)...)
		b := newBench(t, db, u)
		b.syncAll(t)
		u.restock(t, stock(21)...)
		u.alter(func(_ string, body []byte) []byte {
			now := store.Moment(b.clock.now())
			require.NoError(t, db.Exec(t.Context(), "UPDATE catalog_runs SET ended_at = ?, outcome = ? WHERE ended_at IS NULL", now, catalog.Interrupted))
			return body
		})
		require.Error(t, b.Sync(t.Context(), false, catalog.Products))
		require.Equal(t, catalog.Interrupted, b.lastRun(t, catalog.Products).Outcome)
		require.Equal(t, 20, b.Current().Size())
	})
}
