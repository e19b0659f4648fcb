package sales_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/internal/storetest"
	"airtill/internal/trade"
)

// TestEachVisitsEverySaleInOrder, over more than one page, and none after the
// visitor breaks off.
func TestEachVisitsEverySaleInOrder(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		now := func() time.Time { return time.Date(2026, 3, 14, 16, 30, 0, 0, time.UTC) }
		log := slog.New(slog.DiscardHandler)
		people, err := staff.New(staff.Deps{DB: db, Now: now, Audit: audit.New(audit.Deps{DB: db, Now: now, Log: log}), Log: log})
		require.NoError(t, err)
		g, err := trade.New(trade.Deps{DB: db, Staff: people, Now: now, Log: log}, trade.Plan{Sales: 2300, Days: 5, Shops: 1, Seed: 1, Bare: true})
		require.NoError(t, err)
		require.NoError(t, g.Generate(t.Context()))
		s := sales.Service{Deps: sales.Deps{DB: db}}
		last, n := "", 0
		for sale, err := range s.Each(t.Context(), sales.Filter{}) {
			require.NoError(t, err)
			require.Greater(t, sale.ID, last)
			last, n = sale.ID, n+1
		}
		require.Equal(t, 2300, n)
		for _, err := range s.Each(t.Context(), sales.Filter{}) {
			require.NoError(t, err)
			n++
			break
		}
		require.Equal(t, 2301, n)
	})
}
