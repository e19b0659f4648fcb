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

// signedIn is somebody who has just typed their password.
func signedIn(b *bench, u staff.User) audit.Actor {
	return staff.Presence{User: u, SignedInAt: b.clock()}.Actor()
}

func (b *bench) independent(first, second string) error {
	return b.db.Tx(b.t.Context(), func(tx *store.Tx) error { return staff.Independent(tx, first, second, b.clock()) })
}

func TestWhatMakesASecondPersonTakesASecondPerson(t *testing.T) {
	t.Parallel()
	const chosen = "another zebra battery"
	for name, act := range map[audit.Act]func(b *bench, by audit.Actor, u staff.User) error{
		audit.UserPasswordSet: func(b *bench, by audit.Actor, u staff.User) error {
			return b.SetPassword(b.t.Context(), by, u.ID, chosen, 0, "forgotten")
		},
		audit.UserRoleChanged: func(b *bench, by audit.Actor, u staff.User) error {
			return b.ChangePost(b.t.Context(), by, u.ID, staff.Post{Role: staff.Admin}, "promoted")
		},
		audit.UserEnabled: func(b *bench, by audit.Actor, u staff.User) error {
			return b.Enable(b.t.Context(), by, u.ID, "back")
		},
	} {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, b *bench) {
				root, second, target := b.hire("root", staff.Admin), b.hire("second", staff.Admin), b.hire("target", staff.Finance)
				if name == audit.UserEnabled {
					require.NoError(t, b.Disable(t.Context(), setup, target.ID, "left"))
				}
				before, err := b.User(t.Context(), target.ID)
				require.NoError(t, err)

				stale := signedIn(b, root)
				b.pass(11 * time.Minute)
				require.ErrorContains(t, act(b, stale, target), "Sign in again first")
				require.Equal(t, fault.NotFound, fault.KindOf(b.Decide(t.Context(), signedIn(b, second), target.ID, true)), "nothing waits")

				require.NoError(t, act(b, signedIn(b, root), target))
				now, err := b.User(t.Context(), target.ID)
				require.NoError(t, err)
				require.Equal(t, before, now, "nothing was changed yet")
				_, err = b.Login(t.Context(), staff.Attempt{Username: "target", Password: chosen, Address: "192.0.2.9"})
				require.Error(t, err)
				require.NoError(t, act(b, signedIn(b, root), target), "the answer was lost: it is the one that waits")
				require.Equal(t, fault.Conflict, fault.KindOf(act(b, signedIn(b, second), target)), "one waits already")
				waiting, err := b.Proposals(t.Context())
				require.NoError(t, err)
				require.Len(t, waiting, 1)
				require.Equal(t, []any{target.ID, name, root.ID}, []any{waiting[0].UserID, waiting[0].Act, waiting[0].ProposedBy})

				require.ErrorContains(t, b.Decide(t.Context(), signedIn(b, root), target.ID, true), "You proposed it yourself")
				stale = signedIn(b, second)
				b.pass(11 * time.Minute)
				require.ErrorContains(t, b.Decide(t.Context(), stale, target.ID, true), "Sign in again first")
				puppet := b.hire("puppet", staff.Admin)
				require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
					return tx.Exec("UPDATE users SET set_by = ?, set_at = ? WHERE id = ?", root.ID, b.clock(), puppet.ID).Error
				}))
				require.ErrorContains(t, b.Decide(t.Context(), signedIn(b, puppet), target.ID, true), "Somebody else with the same rights must sign")

				require.NoError(t, b.Decide(t.Context(), signedIn(b, second), target.ID, true))
				now, err = b.User(t.Context(), target.ID)
				require.NoError(t, err)
				require.Greater(t, now.Epoch, before.Epoch)
				require.False(t, now.Disabled())
				if name == audit.UserRoleChanged {
					require.Equal(t, staff.Admin, now.Role)
				}
				if name == audit.UserPasswordSet {
					_, err = b.Login(t.Context(), staff.Attempt{Username: "target", Password: chosen, Address: "192.0.2.9"})
					require.NoError(t, err)
				}
				require.ErrorContains(t, b.independent(root.ID, target.ID), "Somebody else with the same rights must sign", "who chose is known")
				require.NoError(t, b.independent(second.ID, target.ID))
				told, err := b.audit.List(t.Context(), audit.Filter{Subject: audit.Of(audit.User, target.ID), Limit: 2})
				require.NoError(t, err)
				require.Equal(t, []audit.Act{name, audit.UserChangeProposed}, []audit.Act{told[0].Act, told[1].Act})
				require.Equal(t, second.ID, told[0].UserID)
				require.Contains(t, told[0].After, root.ID)
				require.NotContains(t, told[1].After, "argon2id")
			})
		})
	}
}

// While the second person reads what was proposed, the first may take it back and propose something else.
func TestAProposalIsAgreedToAsItWasRead(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		root, second, target := b.hire("root", staff.Admin), b.hire("second", staff.Admin), b.hire("nora", staff.Cashier)
		liam := b.hire("liam", staff.Cashier) // whose change waits all the while
		require.NoError(t, b.ChangePost(t.Context(), signedIn(b, root), liam.ID, staff.Post{Role: staff.Finance}, "he does the books"))
		b.pass(time.Second)
		require.NoError(t, b.ChangePost(t.Context(), signedIn(b, root), target.ID, staff.Post{Role: staff.Finance}, "she does the books"))
		read := b.proposed(target.ID)
		require.NoError(t, b.Decide(t.Context(), signedIn(b, root), target.ID, false))
		require.Equal(t, audit.UserChangeDeclined, b.lastAct().Act)
		b.pass(time.Second)
		for range 2 { // the form is sent again
			require.NoError(t, b.ChangePost(t.Context(), signedIn(b, root), target.ID, staff.Post{Role: staff.Admin}, "she runs the place"))
		}
		require.NoError(t, b.Decide(t.Context(), signedIn(b, second), liam.ID, true))
		books, err := b.User(t.Context(), liam.ID)
		require.NoError(t, err)
		require.Equal(t, staff.Finance, books.Role)
		err = b.Service.Decide(t.Context(), signedIn(b, second), target.ID, read, true)
		require.Equal(t, fault.NotFound, fault.KindOf(err))
		u, err := b.User(t.Context(), target.ID)
		require.NoError(t, err)
		require.Equal(t, staff.Cashier, u.Role)
		require.NoError(t, b.Decide(t.Context(), signedIn(b, second), target.ID, true))
	})
}

// Whoever proposed it and was disabled since is not the first of two: somebody else may have had their account.
func TestWhoIsDisabledSinceProposesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		root, second, third := b.hire("root", staff.Admin), b.hire("second", staff.Admin), b.hire("third", staff.Admin)
		target := b.hire("nora", staff.Cashier)
		require.NoError(t, b.ChangePost(t.Context(), signedIn(b, root), target.ID, staff.Post{Role: staff.Admin}, "she runs the place"))
		require.NoError(t, b.Disable(t.Context(), signedIn(b, second), root.ID, "stolen password"))
		require.ErrorContains(t, b.Decide(t.Context(), signedIn(b, second), target.ID, true), "has been disabled since")
		require.NoError(t, b.Decide(t.Context(), signedIn(b, second), target.ID, false))
		require.NoError(t, b.ChangePost(t.Context(), signedIn(b, third), target.ID, staff.Post{Role: staff.Admin}, "she does"))
		require.NoError(t, b.Decide(t.Context(), signedIn(b, second), target.ID, true))
	})
}

// An account with such rights that one person made opens nothing until another has
// agreed; a command is somebody with the machine, and one admin alone begins so.
func TestAMadeSecondPersonWaitsForASecondPerson(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		root := b.hire("root", staff.Admin)
		try := func() error {
			_, err := b.Login(t.Context(), staff.Attempt{Username: "made", Password: password, Address: "192.0.2.9"})
			return err
		}
		wanted := staff.NewUser{Username: "made", Role: staff.Finance, Password: password}
		_, err := b.CreateUser(t.Context(), audit.Actor{UserID: root.ID}, wanted)
		require.ErrorContains(t, err, "Sign in again first")
		made, err := b.CreateUser(t.Context(), signedIn(b, root), wanted)
		require.NoError(t, err)
		require.True(t, made.Disabled())
		require.Error(t, try())
		require.Equal(t, fault.Conflict, fault.KindOf(b.Enable(t.Context(), signedIn(b, root), made.ID, "quick")))
		require.NoError(t, b.Decide(t.Context(), signedIn(b, root), made.ID, false), "whoever asked may take it back")
		require.NoError(t, b.Enable(t.Context(), signedIn(b, root), made.ID, "after all"))
		require.Error(t, try(), "which takes a second person as well")
		second := b.hire("second", staff.Admin) // by a command
		require.NoError(t, b.Decide(t.Context(), signedIn(b, second), made.ID, true))
		require.NoError(t, try())

		cashier, err := b.CreateUser(t.Context(), audit.Actor{UserID: root.ID}, staff.NewUser{Username: "till", Role: staff.Cashier, ShopID: b.shop.ID, Password: password})
		require.NoError(t, err)
		require.False(t, cashier.Disabled(), "who sells needs nobody else")
		require.NoError(t, b.SetPassword(t.Context(), audit.Actor{UserID: root.ID}, cashier.ID, "another zebra battery", 0, "forgotten"))
		require.NoError(t, b.ChangePost(t.Context(), audit.Actor{UserID: root.ID}, second.ID, staff.Post{Role: staff.Auditor}, "leaving"), "rights are taken by one")
		require.NoError(t, b.ChangePost(t.Context(), signedIn(b, root), cashier.ID, staff.Post{Role: staff.Finance}, "promoted"))
		now, err := b.User(t.Context(), cashier.ID)
		require.NoError(t, err)
		require.Equal(t, staff.Cashier, now.Role)
	})
}

// It may have waited for days; who is to use it waited as long.
func TestAProposedPasswordEndsThreeDaysAfterItWasAgreedTo(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		root, second, third := b.hire("root", staff.Admin), b.hire("second", staff.Admin), b.hire("third", staff.Admin)
		require.NoError(t, b.SetPassword(t.Context(), signedIn(b, root), third.ID, given, 0, "forgotten"))
		b.pass(71 * time.Hour)
		require.NoError(t, b.Decide(t.Context(), signedIn(b, second), third.ID, true))
		b.pass(71 * time.Hour)
		_, err := b.login("third", given, "192.0.2.1")
		require.NoError(t, err)
	})
}
