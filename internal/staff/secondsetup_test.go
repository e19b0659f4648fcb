package staff_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/staff"
	"airtill/internal/store"
)

// TestAnAppIsSetUpWithinHalfAnHour: what was begun and left may be known to whoever found the screen open.
func TestAnAppIsSetUpWithinHalfAnHour(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora := b.hire("nora", staff.Manager)
		by := proved(b, nora)
		begun := func() phone {
			second, err := b.Second(t.Context(), nora)
			require.NoError(t, err)
			return phone{b, second.Secret}
		}
		require.NoError(t, b.BeginSecond(t.Context(), by))
		left := begun()
		b.pass(29 * time.Minute)
		require.Equal(t, left, begun())
		b.pass(2 * time.Minute)
		require.Empty(t, begun().secret)
		_, _, err := b.ConfirmSecond(t.Context(), by, password, left.code(), "192.0.2.1")
		require.Equal(t, "code.wrong", codeOf(err))

		require.NoError(t, b.BeginSecond(t.Context(), by))
		require.NotEqual(t, left, begun())
		_, _, err = b.ConfirmSecond(t.Context(), by, password, left.code(), "192.0.2.1")
		require.Equal(t, "code.wrong", codeOf(err))
		_, _, err = b.ConfirmSecond(t.Context(), by, password, begun().code(), "192.0.2.1")
		require.NoError(t, err)
	})
}

// Whoever finds a screen open has their own app, and no password: they neither set it up nor put it in the place of
// the owner's.
func TestAnAppIsNotSetUpAtAScreenLeftOpen(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora := b.hire("nora", staff.Manager)
		require.NoError(t, b.BeginSecond(t.Context(), proved(b, nora)))
		theirs, err := b.Second(t.Context(), nora)
		require.NoError(t, err)
		code := phone{b, theirs.Secret}.code()
		_, _, err = b.ConfirmSecond(t.Context(), proved(b, nora), "wrong", code, "192.0.2.1")
		require.Equal(t, "password.wrong", codeOf(err))

		nora, app, _ := b.enrol(nora)
		require.Equal(t, "second.there", codeOf(b.BeginSecond(t.Context(), proved(b, nora))))
		_, err = b.finish(nora, app.code(), "192.0.2.1")
		require.NoError(t, err, "it is still the owner's")
	})
}

// Between the password and the code the account may be reset or closed, or nobody comes.
func TestHalfASignInEndsWithWhatItStandsOn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		for name, ends := range map[string]func(staff.User){
			"late": func(staff.User) { b.pass(10*time.Minute + time.Second) },
			"reset": func(u staff.User) {
				require.NoError(t, b.SetPassword(t.Context(), setup, u.ID, given, 0, "stolen"))
			},
			"closed": func(u staff.User) {
				require.NoError(t, b.db.Exec(t.Context(), "UPDATE users SET disabled_at = ? WHERE id = ?", b.clock(), u.ID))
			},
		} {
			u, app, _ := b.enrol(b.hire(name, staff.Manager))
			token, err := b.AwaitSecond(t.Context(), u, false)
			require.NoError(t, err)
			ends(u)
			_, err = b.FinishLogin(t.Context(), token, app.code(), staff.Attempt{Address: "192.0.2.1"})
			require.Equal(t, "code.too-late", codeOf(err), name)
		}
	})
}

// A code that is used up spends the sign-in it was for.
func TestASignInIsFinishedOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora, _, recovery := b.enrol(b.hire("nora", staff.Manager))
		token, err := b.AwaitSecond(t.Context(), nora, false)
		require.NoError(t, err)
		at := staff.Attempt{Address: "192.0.2.1"}
		_, err = b.FinishLogin(t.Context(), token, recovery[0], at)
		require.NoError(t, err)
		_, err = b.FinishLogin(t.Context(), token, recovery[1], at)
		require.Equal(t, "code.too-late", codeOf(err))
	})
}

// Who has no password here proves who they are by a sign-in of a moment ago.
func TestWhoHasNoPasswordHasJustSignedIn(t *testing.T) {
	t.Parallel()
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		in, err := b.comes("7", "nora", "tills")
		require.NoError(t, err)
		stale := signedIn(b.bench, in.User)
		b.pass(11 * time.Minute)
		require.Equal(t, "second.sign-in-again", codeOf(b.SetPIN(t.Context(), stale, "", goodPIN, "192.0.2.1")))
		require.NoError(t, b.SetPIN(t.Context(), signedIn(b.bench, in.User), "", goodPIN, "192.0.2.1"))
	})
}

// A screen left open is no place to guess the password at.
func TestPasswordsAreCountedWhereverTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora := b.hire("nora", staff.Cashier)
		change := func(current string) string {
			_, err := b.ChangePassword(t.Context(), signedIn(b, nora), current, given, "192.0.2.1")
			return codeOf(err)
		}
		for range 5 {
			require.Equal(t, "password.wrong", change("wrong"))
		}
		require.Equal(t, "login.tries", change(password))
	})
}

// Nor to try codes at.
func TestCodesAreCountedWhereverTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora, app, _ := b.enrol(b.hire("nora", staff.Manager))
		for range 5 {
			require.Equal(t, "code.wrong", codeOf(b.ProveSecond(t.Context(), proved(b, nora), "000000", "192.0.2.1")))
		}
		require.Equal(t, "login.tries", codeOf(b.ProveSecond(t.Context(), proved(b, nora), app.code(), "192.0.2.1")))
	})
}

// TestAnAppIsConfirmedByItsOwnCode: whoever begins again in another window has another secret, which a code of the first
// does not confirm: they would have an app whose codes are all wrong.
func TestAnAppIsConfirmedByItsOwnCode(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora := b.hire("nora", staff.Manager)
		by := proved(b, nora)
		begun := func() (phone, string) {
			require.NoError(t, b.BeginSecond(t.Context(), by))
			second, err := b.Second(t.Context(), nora)
			require.NoError(t, err)
			sealed, err := store.One[string](
				b.db.Read(t.Context()).Table("authenticators").Select("secret").Where("user_id = ?", nora.ID), nil)
			require.NoError(t, err)
			return phone{b, second.Secret}, sealed
		}
		_, sealedAgain := begun()
		first, _ := begun()
		err := b.meets(func(tx *store.Tx) error {
			return tx.Exec("UPDATE authenticators SET secret = ? WHERE user_id = ?", sealedAgain, nora.ID).Error
		}, func() error {
			_, _, err := b.ConfirmSecond(t.Context(), by, password, first.code(), "192.0.2.1")
			return err
		})
		require.Equal(t, "code.wrong", codeOf(err), err)
	})
}
