package catalog_test

import (
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/harness/storetest"
	"airtill/internal/sandbox"
	"airtill/internal/store"
)

// realList is a list of 17,573 products that is not part of this repository.
const realList = "../../../shared/data/sku-list.csv"

// wholeMarket is an upstream as large as the real one.
func wholeMarket(t testing.TB) *upstream {
	t.Helper()
	if _, err := os.Stat(realList); err == nil {
		return newUpstream(t, sandbox.Deps{Catalog: realList})
	}
	return newUpstream(t, sandbox.Deps{Products: 17_573})
}

// eachDatabase runs a benchmark on every database there is.
func eachDatabase(b *testing.B, run func(b *testing.B, open func() *store.DB)) {
	b.Helper()
	dialects := []store.Dialect{store.SQLite}
	if os.Getenv("TEST_DATABASE_URL") != "" {
		dialects = append(dialects, store.Postgres)
	}
	for _, dialect := range dialects {
		b.Run(string(dialect), func(b *testing.B) {
			run(b, func() *store.DB { return storetest.Open(b, storetest.URL(b, dialect)) })
		})
	}
}

// BenchmarkFirstSync downloads and stores everything, with texts in four
// languages (limit: 15 s).
func BenchmarkFirstSync(b *testing.B) {
	u := wholeMarket(b)
	eachDatabase(b, func(b *testing.B, open func() *store.DB) {
		b.Helper()
		for range b.N {
			b.StopTimer()
			bench := newBench(b, open(), u)
			b.StartTimer()
			require.NoError(b, bench.SyncDue(b.Context()))
			b.ReportMetric(float64(bench.Current().Size()), "products")
		}
	})
}

// BenchmarkSyncNothingNew is what the schedule costs on an ordinary day.
func BenchmarkSyncNothingNew(b *testing.B) {
	u := wholeMarket(b)
	eachDatabase(b, func(b *testing.B, open func() *store.DB) {
		b.Helper()
		bench := newBench(b, open(), u)
		bench.syncAll(b)
		b.ResetTimer()
		for range b.N {
			bench.clock.advance(11 * time.Minute) // the budget's window
			bench.syncAll(b)
		}
		require.EqualValues(b, 1, bench.Current().Version())
	})
}

// BenchmarkLoadSnapshot loads what another process synced, from the tables, and
// reports what it keeps in memory.
func BenchmarkLoadSnapshot(b *testing.B) {
	u := wholeMarket(b)
	eachDatabase(b, func(b *testing.B, open func() *store.DB) {
		b.Helper()
		db := open()
		newBench(b, db, u).syncAll(b)
		b.ResetTimer()
		for range b.N {
			before := heapMB()
			bench := newBench(b, db, u)
			require.NoError(b, bench.Refresh(b.Context()))
			b.ReportMetric(heapMB()-before, "MB-kept")
			require.False(b, bench.Current().Empty())
		}
	})
}

// BenchmarkLoadFromRedis is the same through the cache.
func BenchmarkLoadFromRedis(b *testing.B) {
	client, prefix := redisClient(b)
	cache := redisCache(client, prefix)
	db, u := storetest.New(b), wholeMarket(b)
	newBench(b, db, u, withCache(cache)).syncAll(b)
	b.ResetTimer()
	for range b.N {
		bench := newBench(b, db, u, withCache(cache))
		require.NoError(b, bench.Refresh(b.Context()))
		require.False(b, bench.Current().Empty())
	}
}

func heapMB() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// BenchmarkLookupAndOffers is the server's part of a look-up page: the number
// read, its operator found, its offers grouped.
func BenchmarkLookupAndOffers(b *testing.B) {
	u := wholeMarket(b)
	bench := newBench(b, storetest.New(b), u)
	bench.syncAll(b)
	numbers := []string{"0871234567", "+2348031234567", "+639171234567", "+919812345678", "+525512345678", "+5352345678", "+201001234567", "+40721234567"}
	for _, text := range numbers { // whoever has to be asked has been asked
		_, err := bench.Lookup(b.Context(), bench.number(b, text))
		require.NoError(b, err)
	}
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		n, err := catalog.ParseNumber(numbers[i%len(numbers)], "IE")
		require.NoError(b, err)
		found, err := bench.Lookup(b.Context(), n)
		require.NoError(b, err)
		for _, c := range found.Candidates {
			bench.Current().Offers(catalog.OfferQuery{Provider: c.Provider.Code, Language: "fr", At: start})
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "µs-p95")
}
