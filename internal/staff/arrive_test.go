package staff_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// Somebody of a shop who comes before any shop was made is told so on the page of the sign-in.
func TestWhoArrivesBeforeThereIsAShop(t *testing.T) {
	t.Parallel()
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		for _, table := range []string{"users WHERE shop_id IS NOT NULL", "tills", "shops"} {
			require.NoError(t, b.deps.DB.Exec(t.Context(), "DELETE FROM "+table))
		}
		_, err := b.comes("1", "sean", "tills")
		require.Equal(t, fault.Forbidden, fault.KindOf(err), err)
		require.ErrorContains(t, err, "There is no shop here yet")
	})
}

// Whoever is disabled while they arrive with another group stays what the admin saw: the arrival reads what it locks.
func TestAnArrivalReadsWhatItLocks(t *testing.T) {
	t.Parallel()
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		came, err := b.comes("1", "nora", "desk")
		require.NoError(t, err)
		b.provider.Claims = map[string]any{"sub": "1", "preferred_username": "nora", "groups": "tills"}
		address, token, err := b.BeginOutside(t.Context(), staff.Onward{})
		require.NoError(t, err)
		state, code := b.provider.Visit(address)
		answer := make(chan error, 1)
		require.NoError(t, b.deps.DB.Tx(t.Context(), func(tx *store.Tx) error {
			err := tx.Exec("UPDATE users SET disabled_at = ?, epoch = epoch + 1 WHERE id = ?", b.clock(), came.User.ID).Error
			go func() {
				_, err := b.FinishOutside(t.Context(), token, state, code, staff.Attempt{Address: "192.0.2.9"})
				answer <- err
			}()
			if b.deps.DB.Dialect() == store.Postgres { // elsewhere one writes at a time
				require.Eventually(t, func() bool {
					var waiting int
					require.NoError(t, b.deps.DB.Tx(t.Context(), func(look *store.Tx) error {
						storetest.AsOwner(t, look)
						return look.Raw("SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND " +
							"wait_event_type = 'Lock'").Scan(&waiting).Error
					}))
					return waiting > 0
				}, 10*time.Second, 10*time.Millisecond, "the arrival waits for the row")
			}
			return err
		}))
		require.Equal(t, fault.Forbidden, fault.KindOf(<-answer))
		after, err := b.User(t.Context(), came.User.ID)
		require.NoError(t, err)
		require.Equal(t, staff.Auditor, after.Role)
	})
}
