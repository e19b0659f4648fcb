package reconcile

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestIncidentsThatAreKnownAreNotAskedForOneByOne: after a change of prices there may be a thousand, and each look at
// the records reads them again until somebody has resolved their breaks.
func TestIncidentsThatAreKnownAreNotAskedForOneByOne(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		s := New(Deps{DB: db})
		var cost []int64
		for _, many := range []int{3, 300} {
			require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
				for i := len(cost); i < many; i++ {
					sale := fmt.Sprintf("sale%d-%d", many, i)
					if err := tx.Exec(`INSERT INTO incidents (id, kind, sale_id, note, micros, currency, at, closed_by)
						VALUES (?, ?, ?, '', 0, 'EUR', CURRENT_TIMESTAMP, '')`, sale, incidentOf[PriceDiffers], sale).Error; err != nil {
						return err
					}
					b := Break{ID: sale, Kind: PriceDiffers, Subject: sale, SaleID: sale, Currency: "EUR", State: Open}
					if err := tx.Create(&b).Error; err != nil {
						return err
					}
				}
				return nil
			}))
			before := db.Counts().Statements
			made, err := s.fromIncidents(t.Context(), nil)
			require.NoError(t, err)
			require.Empty(t, made)
			cost = append(cost, db.Counts().Statements-before)
		}
		require.Equal(t, cost[0], cost[1])
	})
}
