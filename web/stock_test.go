package web

import (
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sandbox"
	"airtill/internal/store"
)

// market is what the simulator of newMarket sells.
var market = sandbox.Deps{Products: 600}

// stock are the databases in which that has been synchronised once: to do so anew
// costs as much as most tests do.
var stock struct {
	sync.Mutex
	at      map[store.Dialect]string
	removes []func() error
}

func TestMain(m *testing.M) {
	m.Run()
	for _, remove := range stock.removes {
		_ = remove() // a database that stays is in nobody's way
	}
}

// stocked is the place of databases that newMarket need not synchronise.
func stocked(t testing.TB, dialect store.Dialect) string {
	t.Helper()
	stock.Lock()
	defer stock.Unlock()
	if stock.at[dialect] == "" {
		stockUp(t, dialect)
	}
	return storetest.Copy(t, stock.at[dialect])
}

func stockUp(t testing.TB, dialect store.Dialect) {
	t.Helper()
	address, remove, err := storetest.Make(dialect)
	require.NoError(t, err)
	stock.removes = append(stock.removes, remove)
	db, err := store.Open(t.Context(), address)
	require.NoError(t, err)
	b := stoppedBench(t, db)
	a := b.assemble(b.simulator(market), slog.New(slog.DiscardHandler))
	require.NoError(t, a.Catalog.SyncDue(t.Context()))
	require.NoError(t, a.Close())
	require.NoError(t, db.Close())
	if stock.at == nil {
		stock.at = map[store.Dialect]string{}
	}
	stock.at[dialect] = address
}
