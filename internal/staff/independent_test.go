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

		require.NoError(t, b.SetPassword(t.Context(), actor, two.ID, "another zebra battery", 0, "forgotten"))
		require.False(t, refused(one.ID, two.ID))
		require.True(t, refused(admin.ID, two.ID), "who chose the password knows it")
		require.True(t, refused(two.ID, admin.ID))
		require.NoError(t, b.ChangePost(t.Context(), actor, one.ID, staff.Post{Role: staff.Supervisor, ShopID: b.shop.ID}, "moved"))
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
		_, err = b.ChangePassword(t.Context(), actor, password, "my own zebra battery", "192.0.2.1")
		require.NoError(t, err)
		require.False(t, refused(admin.ID, two.ID), "nobody is kept off by their own password")
		require.NoError(t, b.Rename(t.Context(), actor, two.ID, "Two", two.DisplayName, "spelling"))
		require.NoError(t, b.EndSessions(t.Context(), actor, two.ID, "lost phone"))
		require.False(t, refused(admin.ID, two.ID), "nor by what gives nobody their account")
	})
}

// What one admin chose is not undone by what another does to the same account: the first still knows the password.
func TestWhoActsLaterHidesNobodyWhoActedBefore(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		root, second, third := b.hire("root", staff.Admin), b.hire("second", staff.Admin), b.hire("third", staff.Admin)
		one, other := b.hire("one", staff.Auditor), b.hire("other", staff.Auditor)
		refused := func(first, second string) bool { return b.independent(first, second) != nil }
		for _, u := range []staff.User{one, other} {
			require.NoError(t, b.SetPassword(t.Context(), signedIn(b, root), u.ID, "another zebra battery", 0, "forgotten"))
		}
		require.NoError(t, b.ChangePost(t.Context(), signedIn(b, second), one.ID, staff.Post{Role: staff.Supervisor, ShopID: b.shop.ID}, "moved"))
		require.True(t, refused(second.ID, one.ID))
		require.True(t, refused(root.ID, one.ID), "who chose the password")
		require.True(t, refused(one.ID, root.ID))
		require.True(t, refused(one.ID, other.ID), "root has both")

		// The same where a change took two: it is the first one's.
		require.NoError(t, b.ChangePost(t.Context(), signedIn(b, third), one.ID, staff.Post{Role: staff.Finance}, "the books"))
		require.NoError(t, b.Decide(t.Context(), signedIn(b, second), one.ID, true))
		require.NoError(t, b.Disable(t.Context(), signedIn(b, root), one.ID, "a while"))
		require.NoError(t, b.Enable(t.Context(), audit.Command("test"), one.ID, "back"))
		require.True(t, refused(third.ID, one.ID))
		b.pass(24*time.Hour + time.Second)
		require.False(t, refused(root.ID, one.ID))
		require.False(t, refused(one.ID, other.ID))
	})
}

// The account names its last maker only, and a command hides that: the audit has each act that gave somebody power over
// it.
func TestEachActOverAnAccountMakesWhoDidItItsMaker(t *testing.T) {
	t.Parallel()
	const chosen = "another zebra battery"
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		root, second := b.hire("root", staff.Admin), b.hire("second", staff.Admin)
		by := signedIn(b.bench, root)
		hidden := func(u staff.User) {
			require.NoError(t, b.Disable(t.Context(), setup, u.ID, "a while"))
			require.NoError(t, b.Enable(t.Context(), setup, u.ID, "back"))
		}
		byTwo := func(u staff.User, proposed error) {
			require.NoError(t, proposed)
			require.NoError(t, b.Decide(t.Context(), signedIn(b.bench, second), u.ID, true))
		}
		for name, act := range map[string]func(staff.User){
			"enabled": func(u staff.User) {
				require.NoError(t, b.Disable(t.Context(), setup, u.ID, "a while"))
				require.NoError(t, b.Enable(t.Context(), by, u.ID, "back"))
			},
			"reset": func(u staff.User) {
				_, _, _ = b.enrol(u)
				byTwo(u, b.ResetSecond(t.Context(), by, u.ID, "lost it"))
			},
			"linked": func(u staff.User) { _ = b.linked(root, second, u, b.refused("1", u.Username, "tills")) },
			"unlinked": func(u staff.User) {
				a := b.refused("2", u.Username, "tills")
				require.NoError(t, b.Link(t.Context(), setup, u.ID, a.ID, a.Role, "the same"))
				byTwo(u, b.Unlink(t.Context(), by, u.ID, chosen, "has left"))
			},
		} {
			u := b.hire(name, staff.Cashier)
			require.NoError(t, b.independent(root.ID, u.ID), name)
			act(u)
			hidden(u)
			require.Error(t, b.independent(root.ID, u.ID), name)
			require.NoError(t, b.independent(second.ID, u.ID), name)
		}
	})
}

func TestACommandIsNoSecondPerson(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		root, command := b.hire("root", staff.Admin), audit.Command("web anything")
		command.SignedInAt = b.clock()
		err := b.db.Tx(t.Context(), func(tx *store.Tx) error { return staff.Countersign(tx, root.ID, command, b.clock()) })
		require.Equal(t, "staff.proposed-yourself", codeOf(err))
	})
}
