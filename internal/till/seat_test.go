package till_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
	"airtill/internal/till"
)

// A seat may be empty, as its columns allow.
func TestADrawerWithoutASeatTakesMoney(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		d := newDrawer(t, db)
		shift := d.open("till-1", "10")
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("UPDATE shifts SET seat = '', seat_by = '', seat_at = NULL").Error
		}))
		_, err := d.MoveCash(t.Context(), till.Moving{Key: "a", Actor: aoife(), ShiftID: shift.ID, Kind: till.PaidIn, Amount: eur("1"), Reason: "change"})
		require.NoError(t, err)
		open, err := d.Current(t.Context(), "till-1")
		require.NoError(t, err)
		require.Equal(t, open.OpenedAt, open.Seated())
	})
}
