package staff_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
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
		err = b.meets(func(tx *store.Tx) error {
			return tx.Exec("UPDATE users SET disabled_at = ?, epoch = epoch + 1 WHERE id = ?", b.clock(), came.User.ID).Error
		}, func() error {
			_, err := b.FinishOutside(t.Context(), token, state, code, staff.Attempt{Address: "192.0.2.9"})
			return err
		})
		require.Equal(t, fault.Forbidden, fault.KindOf(err))
		after, err := b.User(t.Context(), came.User.ID)
		require.NoError(t, err)
		require.Equal(t, staff.Auditor, after.Role)
	})
}

// Who arrives comes from where their role is used.
func TestAnArrivalComesFromTheRolesNetworks(t *testing.T) {
	t.Parallel()
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		rule := staff.Rule{Role: staff.Auditor, Networks: "198.51.100.0/24"}
		require.NoError(t, b.SetRule(t.Context(), setup, rule, "192.0.2.1"))
		_, err := b.comes("1", "nora", "desk")
		require.Equal(t, "rule.elsewhere", codeOf(err))
	})
}

// A provider's person is nobody that another provider vouched for, whatever they are called there.
func TestAnotherProvidersPersonIsAnother(t *testing.T) {
	t.Parallel()
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		nora, err := b.comes("7", "nora", "owners")
		require.NoError(t, err)
		require.NoError(t, b.db.Exec(t.Context(), "UPDATE users SET vouched_by = 'https://was.example'"))
		_ = b.refused("7", "nora", "tills")
		_ = b.refused("8", "nora", "tills")
		mary, err := b.comes("7", "mary", "tills")
		require.NoError(t, err)
		require.NotEqual(t, nora.User.ID, mary.User.ID)
		require.Len(t, b.arrivals(), 1, "the other waits on")
	})
}
