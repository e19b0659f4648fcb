package sales_test

import (
	"fmt"
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
		healthy, err := w.Sales.Incidents(t.Context(), "")
		require.NoError(t, err)
		require.Empty(t, healthy)

		offer := w.TopUp()
		w.Fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"error","code":"InsufficientBalance"}}`)
		sale := w.Becomes(w.Sell(apptest.Order("1", offer), offer).ID, sales.Failed, false)
		sick, err := w.Sales.Incidents(t.Context(), "")
		require.NoError(t, err)
		require.Len(t, sick, 1)
		require.Equal(t, sales.NoFloat, sick[0].Kind)
		require.Equal(t, sale.ID, sick[0].SaleID)
	})
}

// raised opens an incident in a transaction of its own.
func (w *world) raised(kind sales.IncidentKind, saleID string) {
	w.T.Helper()
	require.NoError(w.T, w.DB.Tx(w.T.Context(), func(tx *store.Tx) error {
		return sales.RaiseIncident(w.T.Context(), tx, sales.Incident{Kind: kind, SaleID: saleID, At: store.Moment(w.Now())})
	}))
}

// A person is told of the same thing once while it lasts, and again when it comes back.
func TestAnIncidentIsOpenOnceForASaleAndKind(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		closed := func(kind sales.IncidentKind) {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				return sales.CloseIncidents(tx, kind, "manager", w.Now())
			}))
		}
		w.raised(sales.LowFloat, "")
		w.raised(sales.LowFloat, "")
		require.Equal(t, []sales.IncidentKind{sales.LowFloat}, w.Incidents())
		w.raised(sales.OddAmount, "one")
		w.raised(sales.OddAmount, "two")
		w.raised(sales.OddAmount, "")
		require.Len(t, w.Incidents(), 4, "of other sales, and of none")
		closed(sales.OddAmount)
		require.ElementsMatch(t, []sales.IncidentKind{sales.LowFloat, sales.OddAmount, sales.OddAmount}, w.Incidents(),
			"those of sales stay until the sale is settled")
		closed(sales.LowFloat)
		require.NotContains(t, w.Incidents(), sales.LowFloat)
		w.raised(sales.LowFloat, "")
		require.Contains(t, w.Incidents(), sales.LowFloat)
	})
}

// However many are open, the newest are listed.
func TestTheNewestIncidentsAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t))
	for i := range 22 {
		w.raised(sales.OddAmount, fmt.Sprintf("%02d", i))
	}
	open, err := w.Sales.Incidents(t.Context(), "")
	require.NoError(t, err)
	require.Len(t, open, 20)
	require.Equal(t, "21", open[0].SaleID)
	require.Equal(t, "02", open[19].SaleID)
}

// Another shop's incidents, however many, hide none of one's own.
func TestAShopSeesItsOwnIncidents(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		w := newWorld(t, db)
		offer := w.TopUp()
		sale := w.Sell(apptest.Order("1", offer), offer)
		w.raised(sales.OddAmount, "")
		for i := range 20 {
			w.raised(sales.IncidentKind(fmt.Sprintf("kind %d", i)), sale.ID)
		}
		w.raised(sales.OddAmount, "another shop's")
		own, err := w.Sales.Incidents(t.Context(), sale.ShopID)
		require.NoError(t, err)
		require.Len(t, own, 20)
		require.Equal(t, sale.ID, own[0].SaleID)
		others, err := w.Sales.Incidents(t.Context(), "another shop")
		require.NoError(t, err)
		require.Len(t, others, 1)
		require.Equal(t, sales.OddAmount, others[0].Kind, "of no sale: everybody's")
	})
}
