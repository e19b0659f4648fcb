package staff_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/staff"
)

const goodPIN = "4826"

func actorOf(b *bench, u staff.User, till int) audit.Actor {
	return staff.Presence{User: u, Shop: b.shop, Till: b.tills[till]}.Actor()
}

// atTill signs a user in by password at a device that stands at the first till.
func (b *bench) atTill(device string, u staff.User) string {
	b.t.Helper()
	device, err := b.RememberDevice(b.t.Context(), device, u.ID, b.tills[0].ID)
	require.NoError(b.t, err)
	require.NoError(b.t, b.GavePassword(b.t.Context(), device, u))
	return device
}

// team is a cashier, another and a manager with PINs at a trusted till.
func (b *bench) team() (device string, aoife, brian, nora staff.User) {
	b.t.Helper()
	aoife, brian, nora = b.hire("aoife", staff.Cashier), b.hire("brian", staff.Cashier), b.hire("nora", staff.Manager)
	for i, u := range []staff.User{aoife, brian, nora} {
		device = b.atTill(device, u)
		require.NoError(b.t, b.SetPIN(b.t.Context(), actorOf(b, u, 0), password, []string{goodPIN, "73910", "905172"}[i], "192.0.2.1"))
	}
	require.NoError(b.t, b.Trust(b.t.Context(), actorOf(b, nora, 0), device))
	return device, aoife, brian, nora
}

func TestPINTellsWhoItIsOnATrustedDevice(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, aoife, brian, nora := b.team()
		require.Equal(t, audit.DeviceTrusted, b.lastAct().Act)
		for pin, want := range map[string]string{goodPIN: aoife.ID, "73910": brian.ID, "905172": nora.ID} {
			got, err := b.Unlock(t.Context(), device, "", pin)
			require.NoError(t, err)
			require.Equal(t, want, got.User.ID)
			require.Equal(t, b.clock(), got.Since)
		}
		_, err := b.Unlock(t.Context(), device, brian.ID, goodPIN)
		require.Equal(t, fault.Invalid, fault.KindOf(err), "another's PIN")
		_, err = b.Unlock(t.Context(), "another device", "", goodPIN)
		require.ErrorIs(t, err, staff.ErrPassword)

		require.NoError(t, b.SetPIN(t.Context(), actorOf(b, brian, 0), password, goodPIN, "192.0.2.1"))
		_, err = b.Unlock(t.Context(), device, "", goodPIN)
		require.Equal(t, fault.Conflict, fault.KindOf(err), "two have it: say who")
		got, err := b.Unlock(t.Context(), device, brian.ID, goodPIN)
		require.NoError(t, err)
		require.Equal(t, brian.ID, got.User.ID)
		require.NotContains(t, b.log.String(), goodPIN)
	})
}

// TestTrustStaysInTheShopOfWhoGaveIt: no manager of another shop has said that a browser may take PINs there.
func TestTrustStaysInTheShopOfWhoGaveIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, aoife, _, _ := b.team()
		other := b.atTill("", aoife)
		_, err := b.RememberDevice(t.Context(), device, aoife.ID, b.tills[1].ID)
		require.NoError(t, err)
		_, err = b.Unlock(t.Context(), device, aoife.ID, goodPIN)
		require.NoError(t, err, "another till of the shop")
		at, _, err := b.DeviceTill(t.Context(), other, b.shop.ID)
		require.NoError(t, err)
		require.Equal(t, b.tills[0], at, "the other browser stays")

		shop, tills, err := b.CreateShop(t.Context(), setup, staff.NewShop{Name: "Quay", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		zoe, err := b.CreateUser(t.Context(), setup, staff.NewUser{Username: "zoe", Role: staff.Cashier, ShopID: shop.ID, Password: password})
		require.NoError(t, err)
		_, err = b.RememberDevice(t.Context(), device, zoe.ID, tills[0].ID)
		require.NoError(t, err)
		require.NoError(t, b.GavePassword(t.Context(), device, zoe))
		require.NoError(t, b.SetPIN(t.Context(), staff.Presence{User: zoe, Shop: shop}.Actor(), password, goodPIN, "192.0.2.1"))
		_, err = b.Unlock(t.Context(), device, zoe.ID, goodPIN)
		require.ErrorIs(t, err, staff.ErrPassword)
		listed, err := b.TrustedDevices(t.Context(), shop.ID)
		require.NoError(t, err)
		require.Empty(t, listed)

		require.NoError(t, b.Trust(t.Context(), staff.Presence{User: zoe, Shop: shop}.Actor(), device))
		colleagues, err := b.Colleagues(t.Context(), device)
		require.NoError(t, err)
		require.Len(t, colleagues, 1)
		require.Equal(t, zoe.ID, colleagues[0].ID, "those of the other shop have no business at this one's till")

		b.atTill(device, aoife)
		_, err = b.Unlock(t.Context(), device, aoife.ID, goodPIN)
		require.ErrorIs(t, err, staff.ErrPassword, "who knows what became of it there")
	})
}

func TestPINIsWorthNothingWithoutAPasswordToday(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, aoife, _, nora := b.team()
		refused := func(why string) {
			t.Helper()
			_, err := b.Unlock(t.Context(), device, aoife.ID, goodPIN)
			require.Error(t, err, why)
		}
		b.pass(staff.SessionAbsolute)
		refused("the day is over")
		b.atTill(device, aoife)
		_, err := b.Unlock(t.Context(), device, "", goodPIN)
		require.NoError(t, err)

		require.NoError(t, b.EndSessions(t.Context(), setup, aoife.ID, "left"))
		refused("signed out everywhere")
		fresh, err := b.User(t.Context(), aoife.ID)
		require.NoError(t, err)
		b.atTill(device, fresh)
		_, err = b.Unlock(t.Context(), device, "", goodPIN)
		require.NoError(t, err)

		devices, err := b.TrustedDevices(t.Context(), b.shop.ID)
		require.NoError(t, err)
		require.Len(t, devices, 1)
		require.Equal(t, staff.DeviceID(device), devices[0].ID)
		require.NoError(t, b.Distrust(t.Context(), actorOf(b, nora, 0), devices[0].ID))
		refused("no longer trusted")
		require.Equal(t, fault.NotFound, fault.KindOf(b.Distrust(t.Context(), actorOf(b, nora, 0), devices[0].ID)))
	})
}

func TestFiveWrongPINsAskForThePassword(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, aoife, _, nora := b.team()
		for range 5 {
			_, err := b.Unlock(t.Context(), device, "", "1111")
			require.Equal(t, fault.Invalid, fault.KindOf(err))
		}
		_, err := b.Unlock(t.Context(), device, "", goodPIN)
		require.ErrorIs(t, err, staff.ErrPassword, "the right one comes too late")
		b.pass(time.Hour)
		_, err = b.Unlock(t.Context(), device, "", goodPIN)
		require.ErrorIs(t, err, staff.ErrPassword, "time does not help")
		b.atTill(device, aoife)
		_, err = b.Unlock(t.Context(), device, "", goodPIN)
		require.NoError(t, err)

		b.atTill(device, nora)
		at := staff.Attempt{Device: device, Address: "192.0.2.1"}
		for range 5 {
			_, err := b.Vouch(t.Context(), b.shop.ID, nora.ID, "1111", at)
			require.Equal(t, fault.Invalid, fault.KindOf(err))
		}
		_, err = b.Vouch(t.Context(), b.shop.ID, nora.ID, "905172", at)
		require.ErrorIs(t, err, staff.ErrPassword)
		got, err := b.Vouch(t.Context(), b.shop.ID, nora.ID, password, at)
		require.NoError(t, err, "the password goes on counting")
		require.Equal(t, nora.ID, got.ID)
		_, err = b.Vouch(t.Context(), b.shop.ID, nora.ID, "905172", at)
		require.NoError(t, err)
	})
}

func TestOnlyAManagerOfTheShopVouches(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, aoife, _, nora := b.team()
		at := staff.Attempt{Device: device, Address: "192.0.2.1"}
		_, err := b.Vouch(t.Context(), b.shop.ID, aoife.ID, goodPIN, at)
		require.Equal(t, fault.Invalid, fault.KindOf(err), "a cashier")
		_, err = b.Vouch(t.Context(), "another shop", nora.ID, "905172", at)
		require.Equal(t, fault.Invalid, fault.KindOf(err))
		_, err = b.Vouch(t.Context(), b.shop.ID, nora.ID, "905172", staff.Attempt{Device: "untrusted", Address: "192.0.2.1"})
		require.ErrorIs(t, err, staff.ErrPassword)
		may, err := b.Approvers(t.Context(), b.shop.ID)
		require.NoError(t, err)
		require.Len(t, may, 1)
	})
}

// A role may be used from its networks alone: by PIN as by password.
func TestAVouchComesFromTheRolesNetworks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, _, _, nora := b.team()
		admin := audit.Actor{UserID: "x", Name: "admin", Role: string(staff.Admin)}
		require.NoError(t, b.SetRule(t.Context(), admin, staff.Rule{Role: staff.Manager, Networks: "198.51.100.0/24"}, "192.0.2.1"))
		for _, secret := range []string{password, "905172"} {
			_, err := b.Vouch(t.Context(), b.shop.ID, nora.ID, secret, staff.Attempt{Device: device, Address: "192.0.2.1"})
			require.Equal(t, "rule.elsewhere", codeOf(err))
			require.Equal(t, audit.UserElsewhere, b.lastAct().Act)
			_, err = b.Vouch(t.Context(), b.shop.ID, nora.ID, secret, staff.Attempt{Device: device, Address: "198.51.100.1"})
			require.NoError(t, err)
		}
	})
}

// Who must set up a second factor, or choose a password, can do nothing else until then: not allow anything either.
func TestAVouchTakesWhatASessionTakes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, _, _, nora := b.team()
		at := staff.Attempt{Device: device, Address: "192.0.2.1"}
		vouch := func(secret string) string {
			_, err := b.Vouch(t.Context(), b.shop.ID, nora.ID, secret, at)
			return codeOf(err)
		}
		admin := audit.Actor{UserID: "x", Name: "admin", Role: string(staff.Admin)}
		require.NoError(t, b.SetRule(t.Context(), admin, staff.Rule{Role: staff.Manager, SecondFactor: true}, "192.0.2.1"))
		require.Equal(t, "approval.not-ready", vouch(password))
		require.Equal(t, "approval.not-ready", vouch("905172"))
		require.NoError(t, b.GaveSecond(t.Context(), device, nora))
		require.Equal(t, "<nil>", vouch("905172"), "the identity provider asked for one")

		root := b.hire("root", staff.Admin)
		require.NoError(t, b.SetPassword(t.Context(), signedIn(b, root), nora.ID, given, 0, "forgotten"))
		for _, secret := range []string{given, "905172"} {
			require.Equal(t, "approval.not-ready", vouch(secret))
		}
		_, err := b.login("nora", given, "192.0.2.1")
		require.NoError(t, err, "it still opens its session")
	})
}

// A password is half of what somebody with a second factor signs in with; a PIN opens what both opened.
func TestAVouchTakesMoreThanAPasswordOfWhoHasASecondFactor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, _, _, nora := b.team()
		nora, _, _ = b.enrol(nora)
		require.NoError(t, b.GavePassword(t.Context(), device, nora))
		vouch := func(secret string) string {
			at := staff.Attempt{Device: device, Address: "192.0.2.1"}
			_, err := b.Vouch(t.Context(), b.shop.ID, nora.ID, secret, at)
			return codeOf(err)
		}
		require.Equal(t, "approval.second", vouch(password))
		require.Equal(t, "<nil>", vouch("905172"))
	})
}

func TestGuessablePINsAreRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		aoife := b.hire("aoife", staff.Cashier)
		set := func(password, pin string) error {
			return b.SetPIN(t.Context(), actorOf(b, aoife, 0), password, pin, "192.0.2.1")
		}
		for _, pin := range []string{"", "123", "482", "1234", "4321", "0000", "1212", "2580", "1985", "2024", "123456", "987654", "123456789", "12a4", "１２５８", "-482"} {
			require.Equal(t, fault.Invalid, fault.KindOf(set(password, pin)), pin)
		}
		require.Equal(t, fault.Invalid, fault.KindOf(set("not the password", goodPIN)))
		has, err := b.HasPIN(t.Context(), aoife.ID)
		require.NoError(t, err)
		require.False(t, has)
		require.NoError(t, set(password, goodPIN))
		require.Equal(t, audit.UserPINSet, b.lastAct().Act)
		var kept string
		require.NoError(t, b.db.Read(t.Context()).Raw("SELECT pin_hash FROM till_pins").Scan(&kept).Error)
		require.Contains(t, kept, "$argon2id$")
	})
}

func TestASessionBegunByAPINEndsWithThePasswordsDay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		aoife := b.hire("aoife", staff.Cashier)
		since := b.clock()
		b.pass(staff.SessionAbsolute - time.Minute)
		require.NoError(t, b.SaveSession(t.Context(), "token", staff.Session{UserID: aoife.ID, Epoch: aoife.Epoch, Data: []byte("{}"), Since: since}))
		_, live := b.present("token")
		require.True(t, live)
		b.pass(time.Minute)
		_, live = b.present("token")
		require.False(t, live)
	})
}

// A cashier knows their own PIN: it must not buy more guesses of another's.
func TestOwnPINBuysNoGuessesOfAColleagues(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, aoife, _, nora := b.team()
		guesses := 0
		for round := range 100 {
			for i := range 4 {
				guess := strconv.Itoa(905172 - 399 + 4*round + i) // comes upon the manager's in the end
				if got, err := b.Unlock(t.Context(), device, "", guess); err == nil {
					t.Fatalf("guess %d opened the session of %s", guesses, got.User.Username)
				}
				guesses++
				_, err := b.Vouch(t.Context(), b.shop.ID, nora.ID, guess, staff.Attempt{Device: device, Address: "192.0.2.1"})
				require.Error(t, err, "guess %d vouched", guesses)
			}
			if got, err := b.Unlock(t.Context(), device, aoife.ID, goodPIN); err == nil {
				require.Equal(t, aoife.ID, got.User.ID)
			}
		}
		_, err := b.Unlock(t.Context(), device, nora.ID, "905172")
		require.ErrorIs(t, err, staff.ErrPassword)
	})
}

func TestAPINCountsForItsOwnPerson(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, aoife, brian, nora := b.team()
		at := staff.Attempt{Device: device, Address: "192.0.2.1"}
		for range 3 {
			_, err := b.Unlock(t.Context(), device, nora.ID, "1111")
			require.Equal(t, fault.Invalid, fault.KindOf(err))
		}
		for range 20 { // those who know theirs cost nobody anything
			_, err := b.Unlock(t.Context(), device, "", goodPIN)
			require.NoError(t, err)
		}
		for range 2 {
			_, err := b.Vouch(t.Context(), b.shop.ID, nora.ID, "1111", at)
			require.Equal(t, fault.Invalid, fault.KindOf(err))
		}
		_, err := b.Vouch(t.Context(), b.shop.ID, nora.ID, "905172", at)
		require.ErrorIs(t, err, staff.ErrPassword, "a vouch counts where an unlock does")
		_, err = b.Unlock(t.Context(), device, nora.ID, "905172")
		require.ErrorIs(t, err, staff.ErrPassword)
		colleagues, err := b.Colleagues(t.Context(), device)
		require.NoError(t, err)
		require.Len(t, colleagues, 2, "her PIN is not offered any more")

		b.atTill(device, brian)
		_, err = b.Unlock(t.Context(), device, nora.ID, "905172")
		require.ErrorIs(t, err, staff.ErrPassword, "another's password gives her no tries")
		b.pass(24*time.Hour + time.Second)
		b.atTill(device, nora)
		_, err = b.Unlock(t.Context(), device, aoife.ID, goodPIN)
		require.ErrorIs(t, err, staff.ErrPassword)
		_, err = b.Vouch(t.Context(), b.shop.ID, nora.ID, "905172", at)
		require.NoError(t, err)
	})
}

func TestAVouchByPINNeedsThePasswordOfToday(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, _, _, nora := b.team()
		at := staff.Attempt{Device: device, Address: "192.0.2.1"}
		vouch := func() error {
			_, err := b.Vouch(t.Context(), b.shop.ID, nora.ID, "905172", at)
			return err
		}
		require.NoError(t, vouch())
		b.pass(staff.SessionAbsolute)
		require.ErrorIs(t, vouch(), staff.ErrPassword, "the day is over")
		b.atTill(device, nora)
		require.NoError(t, vouch())
		require.NoError(t, b.EndSessions(t.Context(), setup, nora.ID, "left"))
		require.ErrorIs(t, vouch(), staff.ErrPassword, "signed out everywhere")
	})
}

// Whoever sets their PIN to a guess learns from the next unlock whether a
// colleague has the same.
func TestAPINCannotBeSetTimeAndAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		_, aoife, _, _ := b.team()
		set := func(pin string) error {
			return b.SetPIN(t.Context(), actorOf(b, aoife, 0), password, pin, "192.0.2.1")
		}
		for i := range 4 {
			require.NoError(t, set(strconv.Itoa(48269+3*i)))
		}
		var wait *staff.TooManyTries
		require.ErrorAs(t, set("905172"), &wait)
		b.pass(24*time.Hour + time.Second)
		require.NoError(t, set("905172"))
	})
}
