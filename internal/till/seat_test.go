package till_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
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

func TestATakeOverChangesTheSeat(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d drawer) {
		shift, beside := d.open("till-1", "0"), d.open("till-2", "0")
		taken, err := d.Take(t.Context(), audit.Actor{UserID: "brid"}, shift.ID, "shop", shift.SeatBy)
		require.NoError(t, err)
		require.NotEqual(t, shift.Seat, taken.Seat)
		require.Equal(t, "brid", taken.SeatBy)
		same, err := d.Get(t.Context(), beside.ID, "shop")
		require.NoError(t, err)
		require.Equal(t, beside.Seat, same.Seat, "of another till")
		for _, late := range []string{"cait", "brid"} { // who asked before that, about who sat there then
			same, err := d.Take(t.Context(), audit.Actor{UserID: late}, shift.ID, "shop", shift.SeatBy)
			require.NoError(t, err)
			require.Equal(t, taken, same, "it is another's by now")
		}
		_, err = d.Take(t.Context(), aoife(), shift.ID, "another shop", "brid")
		require.Equal(t, fault.NotFound, fault.KindOf(err))
		d.count(shift, "close", "0")
		_, err = d.Take(t.Context(), aoife(), shift.ID, "shop", "brid")
		require.Equal(t, fault.Conflict, fault.KindOf(err))
	})
}
