package web

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/sandbox"
	"airtill/internal/store"
)

// market is what the simulator of newMarket sells.
var market = sandbox.Deps{Products: 600}

// stock has the catalogue of newMarket, which need not be synchronised again.
var stock = storetest.Original{Fill: func(t testing.TB, _ store.Dialect, url string) {
	t.Helper()
	b := stoppedBench(t, storetest.Open(t, url))
	a := b.build(b.simulator(market), b.logger())
	require.NoError(t, a.Catalog.SyncDue(t.Context()))
}}

// trade is what a crew sold in a month, summed.
var trade = storetest.Original{Fill: func(t testing.TB, _ store.Dialect, url string) {
	t.Helper()
	traders = invented(t, newBench(t, storetest.Open(t, url), nil)).crew
}}

var traders crew // of trade, which is of one dialect: that of NewAt

// trading is a bench with invented trade, already summed.
func trading(t testing.TB) *bench {
	t.Helper()
	b := stoppedBench(t, storetest.NewAt(t, trade.Copy))
	b.crew = traders
	b.users = maps.Clone(traders.users)
	b.start(nowhere, nil)
	return b
}

func TestMain(m *testing.M) {
	m.Run()
	storetest.RemoveOriginals()
}
