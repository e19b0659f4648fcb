package staff_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/internal/store"
)

func TestWhoWasMadeOrResetByAnotherIsNoSecondPersonForADay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		admin := b.hire("root", staff.Admin)
		actor := audit.Actor{UserID: admin.ID, Name: admin.Username, Role: string(admin.Role)}
		one, two := b.hire("one", staff.Auditor), b.hire("two", staff.Auditor) // whom one admin may reset alone
		refused := func(first, second string) bool {
			err := b.db.Tx(t.Context(), func(tx *store.Tx) error { return staff.Independent(tx, first, second, b.clock()) })
			if err != nil {
				require.Equal(t, fault.Forbidden, fault.KindOf(err))
			}
			return err != nil
		}
		require.False(t, refused(one.ID, two.ID), "made by a command, by somebody with the machine")

		require.NoError(t, b.SetPassword(t.Context(), actor, two.ID, "another zebra battery", "forgotten"))
		require.False(t, refused(one.ID, two.ID))
		require.True(t, refused(admin.ID, two.ID), "who chose the password knows it")
		require.True(t, refused(two.ID, admin.ID))
		require.NoError(t, b.ChangeRole(t.Context(), actor, one.ID, staff.Supervisor, b.shop.ID, "moved"))
		require.True(t, refused(one.ID, two.ID), "one person has both")
		b.pass(24*time.Hour + time.Second)
		require.False(t, refused(one.ID, two.ID))
		require.False(t, refused(admin.ID, two.ID))

		made, err := b.CreateUser(t.Context(), actor, staff.NewUser{Username: "made", Role: staff.Auditor, Password: password})
		require.NoError(t, err)
		require.True(t, refused(admin.ID, made.ID))
		require.False(t, refused(two.ID, made.ID))
		b.pass(24*time.Hour + time.Second)
		require.False(t, refused(admin.ID, made.ID))
		require.NoError(t, b.SetPassword(t.Context(), actor, admin.ID, "my own zebra battery", "mine"))
		require.False(t, refused(admin.ID, two.ID), "nobody is kept off by their own password")
	})
}
