package web

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sandbox"
	"airtill/internal/store"
)

// market is what the simulator of newMarket sells.
var market = sandbox.Deps{Products: 600}

var (
	// stock has the catalogue of newMarket, which need not be synchronised again.
	stock = original{fill: func(t testing.TB, b *bench) {
		t.Helper()
		a := b.build(b.simulator(market), b.logger())
		require.NoError(t, a.Catalog.SyncDue(t.Context()))
	}}
	// trade has a crew and what it sold in a month, summed.
	trade = original{fill: func(t testing.TB, b *bench) {
		t.Helper()
		b.start(nowhere, nil)
		invented(t, b)
	}}
)

// original is a database that is filled once for each dialect, and copied for each test
// that wants it: to fill it anew costs more than many a test.
type original struct {
	fill func(t testing.TB, b *bench)
	mu   sync.Mutex
	made map[store.Dialect]furnished
}

type furnished struct {
	crew

	address string
	remove  func() error
}

// of returns what there is for a dialect.
func (o *original) of(t testing.TB, dialect store.Dialect) furnished {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if made, ok := o.made[dialect]; ok {
		return made
	}
	address, remove, err := storetest.Make(dialect)
	require.NoError(t, err)
	meanwhile := &brief{TB: t}
	b := stoppedBench(meanwhile, storetest.Open(meanwhile, address))
	o.fill(meanwhile, b)
	meanwhile.end()
	if o.made == nil {
		o.made = map[store.Dialect]furnished{}
	}
	o.made[dialect] = furnished{b.crew, address, remove}
	return o.made[dialect]
}

// stocked is the place of copies of stock.
func stocked(t testing.TB, dialect store.Dialect) string {
	t.Helper()
	return storetest.Copy(t, stock.of(t, dialect).address)
}

// trading is a bench with invented trade, already summed.
func trading(t testing.TB) *bench {
	t.Helper()
	var of furnished
	b := stoppedBench(t, storetest.NewAt(t, func(t testing.TB, dialect store.Dialect) string {
		t.Helper()
		of = trade.of(t, dialect)
		return storetest.Copy(t, of.address)
	}))
	b.crew = of.crew
	b.users = maps.Clone(b.users)
	b.start(nowhere, nil)
	return b
}

// brief is a test that ends before the one it stands for.
type brief struct {
	testing.TB
	ends []func()
}

func (b *brief) Cleanup(end func()) { b.ends = append(b.ends, end) }

func (b *brief) end() {
	for _, end := range slices.Backward(b.ends) {
		end()
	}
}

func TestMain(m *testing.M) {
	m.Run()
	for _, o := range []*original{&stock, &trade} {
		for _, made := range o.made {
			_ = made.remove() // a database that stays is in nobody's way
		}
	}
}
