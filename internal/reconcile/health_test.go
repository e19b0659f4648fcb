package reconcile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/sales"
	"airtill/internal/store"
	"airtill/internal/storetest"
)

func TestHealthShowsIncidentsAndFailedJobs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		healthy, err := w.books.Health(t.Context())
		require.NoError(t, err)
		require.Empty(t, healthy.Incidents)
		require.Empty(t, healthy.FailedJobs)

		offer := w.topUp()
		w.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"InsufficientBalance"}}`)
		sale := w.becomes(w.sell(order("1", offer), offer).ID, sales.Failed, false)
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec(`INSERT INTO river_job (kind, args, state, max_attempts, finalized_at, metadata, queue, priority, created_at, scheduled_at)
				VALUES ('catalog.sync', '{}', 'discarded', 1, ?, '{}', 'default', 1, ?, ?)`, w.now(), w.now(), w.now()).Error
		}))
		sick, err := w.books.Health(t.Context())
		require.NoError(t, err)
		require.Len(t, sick.Incidents, 1)
		require.Equal(t, sales.NoFloat, sick.Incidents[0].Kind)
		require.Equal(t, sale.ID, sick.Incidents[0].SaleID)
		require.Len(t, sick.FailedJobs, 1)
		require.Equal(t, "catalog.sync", sick.FailedJobs[0].Kind)
		require.WithinDuration(t, w.now(), sick.FailedJobs[0].Last, time.Minute)
	})
}
