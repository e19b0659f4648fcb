package sales_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/apptest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/store"
)

func TestAnOpenIncidentIsListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		healthy, err := w.Sales.Incidents(t.Context())
		require.NoError(t, err)
		require.Empty(t, healthy)

		offer := w.TopUp()
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"InsufficientBalance"}}`)
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Failed, false)
		sick, err := w.Sales.Incidents(t.Context())
		require.NoError(t, err)
		require.Len(t, sick, 1)
		require.Equal(t, sales.NoFloat, sick[0].Kind)
		require.Equal(t, sale.ID, sick[0].SaleID)
	})
}
