package staff_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/staff"
)

// given is a password that somebody else chose.
const given = "another zebra battery"

func TestOfTwoSignInsAtOnceAOneTimePasswordOpensOne(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		root, nora := b.hire("root", staff.Admin), b.hire("nora", staff.Cashier)
		require.NoError(t, b.SetPassword(t.Context(), signedIn(b, root), nora.ID, given, 0, "forgotten"))
		meanwhile := b.during("inTurn", func() {
			_, err := b.login("nora", given, "192.0.2.1")
			require.NoError(t, err)
		})
		_, err := meanwhile.Login(t.Context(), staff.Attempt{Username: "nora", Password: given, Address: "192.0.2.2"})
		require.Equal(t, "login.wrong", codeOf(err))
	})
}

func TestOfTwoPasswordsGivenAtOnceOneCounts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		root, nora := b.hire("root", staff.Admin), b.hire("nora", staff.Cashier)
		set := func(s *staff.Service, password string) error {
			return s.SetPassword(t.Context(), signedIn(b, root), nora.ID, password, nora.Epoch, "forgotten")
		}
		meanwhile := b.during("inTurn", func() { require.NoError(t, set(b.Service, given)) })
		require.Equal(t, "form.out-of-date", codeOf(set(meanwhile, given+" 2")))
		_, err := b.login("nora", given, "192.0.2.1")
		require.NoError(t, err)
	})
}

// Who chose it would still know it.
func TestAOneTimePasswordIsNotChosenAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		root, nora, finn := b.hire("root", staff.Admin), b.hire("nora", staff.Cashier), b.hire("finn", staff.Cashier)
		for _, u := range []staff.User{nora, finn} {
			require.NoError(t, b.SetPassword(t.Context(), signedIn(b, root), u.ID, given, 0, "forgotten"))
		}
		nora, err := b.login("nora", given, "192.0.2.1")
		require.NoError(t, err)
		_, err = b.ChangePassword(t.Context(), signedIn(b, nora), given, given, "192.0.2.1")
		require.Equal(t, "password.same", codeOf(err))
		still, err := b.User(t.Context(), nora.ID)
		require.NoError(t, err)
		require.True(t, still.MustChangePassword())
		_, err = b.ChangePassword(t.Context(), signedIn(b, nora), "wrong", "my own zebra battery", "192.0.2.1")
		require.Equal(t, "password.wrong", codeOf(err))
		_, err = b.login("finn", given, "192.0.2.2")
		require.NoError(t, err, "nora's is spent, not his")
	})
}

// Whoever mistypes the code begins again with the password.
func TestTheSecondStepSpendsAOneTimePassword(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		root := b.hire("root", staff.Admin)
		nora, phone, _ := b.enrol(b.hire("nora", staff.Cashier))
		require.NoError(t, b.SetPassword(t.Context(), signedIn(b, root), nora.ID, given, 0, "forgotten"))
		for range 2 {
			half, err := b.login("nora", given, "192.0.2.1")
			require.NoError(t, err)
			_, err = b.finish(half, "000000", "192.0.2.1")
			require.Equal(t, "code.wrong", codeOf(err))
		}
		half, err := b.login("nora", given, "192.0.2.1")
		require.NoError(t, err)
		_, err = b.finish(half, phone.code(), "192.0.2.1")
		require.NoError(t, err)
		_, err = b.login("nora", given, "192.0.2.1")
		require.Equal(t, "login.wrong", codeOf(err))
	})
}
