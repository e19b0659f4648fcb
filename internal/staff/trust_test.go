package staff_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
)

func TestADeviceIsTrustedByItsOwnShopAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		elsewhere, _, err := b.CreateShop(t.Context(), setup, staff.NewShop{Name: "Quay", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		nora := b.hire("nora", staff.Manager)
		device := b.atTill("", nora)
		own, stranger := actorOf(b, nora, 0), actorOf(b, nora, 0)
		stranger.ShopID = elsewhere.ID
		trusted := func(shopID string) int {
			all, err := b.TrustedDevices(t.Context(), shopID)
			require.NoError(t, err)
			return len(all)
		}
		require.NoError(t, b.Trust(t.Context(), stranger, device))
		require.Zero(t, trusted(b.shop.ID))
		require.NoError(t, b.Trust(t.Context(), own, device))
		require.Equal(t, 1, trusted(b.shop.ID))
		require.Zero(t, trusted(elsewhere.ID))
		require.Equal(t, "device.not-trusted", codeOf(b.Distrust(t.Context(), stranger, staff.DeviceID(device))))
		require.Equal(t, 1, trusted(b.shop.ID))
		require.NoError(t, b.Distrust(t.Context(), own, staff.DeviceID(device)))
		require.Zero(t, trusted(b.shop.ID))
	})
}

// What the identity provider asked for at one sign-in is not given at the next, which may be with a password.
func TestAPINOpensTheLastSignInAsItWas(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, aoife, _, _ := b.team()
		require.NoError(t, b.GaveSecond(t.Context(), device, aoife))
		unlocked, err := b.Unlock(t.Context(), device, aoife.ID, goodPIN)
		require.NoError(t, err)
		require.NotNil(t, unlocked.SecondAt)
		require.NoError(t, b.GavePassword(t.Context(), device, aoife))
		unlocked, err = b.Unlock(t.Context(), device, aoife.ID, goodPIN)
		require.NoError(t, err)
		require.Nil(t, unlocked.SecondAt)
	})
}

func TestWhatIsOneAddress(t *testing.T) {
	t.Parallel()
	for address, one := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "2001:db8:1:2::3": "2001:db8:1:2::/64",
		"fe80::1%eth0": "fe80::/64", "fe80::1%eth1": "fe80::/64", "unknown": "unknown",
	} {
		require.Equal(t, one, staff.Neighbourhood(address), address)
	}
}

func TestTriesCountForADay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		guess := func() fault.Kind {
			_, err := b.login("nora", "not the password", "192.0.2.1")
			return fault.KindOf(err)
		}
		for range 5 {
			require.Equal(t, fault.Invalid, guess())
		}
		b.pass(23 * time.Hour)
		require.Equal(t, fault.Invalid, guess())
		require.Equal(t, fault.Unavailable, guess(), "none is free")
		b.pass(24*time.Hour + time.Second)
		for range 5 {
			require.Equal(t, fault.Invalid, guess())
		}
	})
}

// Who has a second factor here gives it again: what opened the sign-in before does not sign by a PIN.
func TestAPINGivesNoSecondFactor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, aoife, _, _ := b.team()
		aoife, _, _ = b.enrol(aoife)
		require.NoError(t, b.GavePassword(t.Context(), device, aoife))
		require.NoError(t, b.GaveSecond(t.Context(), device, aoife))
		unlocked, err := b.Unlock(t.Context(), device, aoife.ID, goodPIN)
		require.NoError(t, err)
		require.Nil(t, unlocked.SecondAt)
	})
}

// Whoever takes a colleague's PIN for theirs learns it; they do not go on trying others.
func TestAPINThatTwoHaveCountsAsATry(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, _, brian, _ := b.team()
		require.NoError(t, b.SetPIN(t.Context(), actorOf(b, brian, 0), password, goodPIN, "192.0.2.1"))
		for range 5 {
			_, err := b.Unlock(t.Context(), device, "", goodPIN)
			require.Equal(t, "pin.who", codeOf(err))
		}
		_, err := b.Unlock(t.Context(), device, brian.ID, goodPIN)
		require.ErrorIs(t, err, staff.ErrPassword)
	})
}

func TestAPersonHasTenPasskeysAtMost(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t))
	nora := b.hire("nora", staff.Cashier)
	for range 10 {
		nora, _, _ = b.keyed(nora)
	}
	d, by := b.device(nora), proved(b, nora)
	answer := d.made(by)
	_, _, err := b.AddPasskey(t.Context(), by, d.token, "one more", answer)
	require.Equal(t, "passkey.many", codeOf(err))
}
