package staff_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/staff"
)

// What is done about one session, browser or person leaves every other as it was.

func TestASessionIsEndedAndWrittenAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora, liam := b.hire("nora", staff.Cashier), b.hire("liam", staff.Cashier)
		b.signIn("hers", nora, "")
		b.signIn("his", liam, "")
		b.pass(2 * time.Minute)
		p, _ := b.present("hers")
		require.NoError(t, b.Touch(t.Context(), "hers", p))
		again := staff.Session{UserID: nora.ID, Epoch: nora.Epoch, Data: []byte("{}"), Again: true}
		require.NoError(t, b.SaveSession(t.Context(), "hers", again))
		require.NoError(t, b.EndSession(t.Context(), "hers"))
		p, live := b.present("his")
		require.True(t, live)
		require.Equal(t, liam.ID, p.User.ID)
		require.True(t, p.SeenAt.Equal(noon), p.SeenAt)

		for _, token := range []string{"hers", "second", "third"} {
			b.signIn(token, nora, "")
		}
		require.NoError(t, b.EndOwnSessions(t.Context(), signedIn(b, nora), "hers", staff.DeviceID("second")))
		for token, stays := range map[string]bool{"hers": true, "second": false, "third": true} {
			_, live := b.present(token)
			require.Equal(t, stays, live, token)
		}
	})
}

func TestABrowserIsTrustedAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, aoife, brian, nora := b.team()
		other := b.atTill("", aoife)
		trusted := func() []staff.TrustedDevice {
			t.Helper()
			all, err := b.TrustedDevices(t.Context(), b.shop.ID)
			require.NoError(t, err)
			return all
		}
		require.NoError(t, b.Trust(t.Context(), actorOf(b, b.hire("mary", staff.Manager), 0), device), "once more")
		require.Len(t, trusted(), 1)
		require.Equal(t, nora.DisplayName, trusted()[0].TrustedBy)
		require.NoError(t, b.Trust(t.Context(), actorOf(b, nora, 0), other))
		require.NoError(t, b.GaveSecond(t.Context(), device, aoife))
		for _, c := range []struct {
			device string
			staff.User
		}{{other, aoife}, {device, brian}} {
			unlocked, err := b.Unlock(t.Context(), c.device, c.ID, map[string]string{aoife.ID: goodPIN, brian.ID: "73910"}[c.ID])
			require.NoError(t, err)
			require.Nil(t, unlocked.SecondAt, c.Username)
		}
		b.pass(staff.SessionAbsolute)
		require.NoError(t, b.GavePassword(t.Context(), device, aoife))
		for at, unlocks := range map[string]bool{device: true, other: false} {
			does, err := b.Unlocks(t.Context(), at, aoife.ID)
			require.NoError(t, err)
			require.Equal(t, unlocks, does)
		}
		does, err := b.Unlocks(t.Context(), device, brian.ID)
		require.NoError(t, err)
		require.False(t, does)
		require.NoError(t, b.Distrust(t.Context(), actorOf(b, nora, 0), staff.DeviceID(device)))
		require.Len(t, trusted(), 1)
	})
}

func TestAnAccountIsChangedAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora, hers, _ := b.enrol(b.hire("nora", staff.Cashier))
		liam, his, _ := b.enrol(b.hire("liam", staff.Cashier))
		b.pass(time.Minute)
		_, err := b.AwaitSecond(t.Context(), nora, false)
		require.NoError(t, err)
		token, err := b.AwaitSecond(t.Context(), liam, false)
		require.NoError(t, err)
		awaits, err := b.AwaitsSecond(t.Context(), "made up")
		require.NoError(t, err)
		require.False(t, awaits)
		in, err := b.FinishLogin(t.Context(), token, his.code(), staff.Attempt{Address: "192.0.2.1"})
		require.NoError(t, err)
		require.Equal(t, liam.ID, in.ID)

		require.NoError(t, b.Rename(t.Context(), setup, nora.ID, "Nora Byrne", nora.DisplayName, "married"))
		require.NoError(t, b.SetLocale(t.Context(), nora.ID, "FR-fr"))
		require.Error(t, b.SetLocale(t.Context(), nora.ID, "no language"))
		nora, err = b.RemoveSecond(t.Context(), proved(b, nora), password, hers.code(), "192.0.2.1")
		require.NoError(t, err)
		require.Equal(t, "fr-FR", nora.Locale)
		still, err := b.User(t.Context(), liam.ID)
		require.NoError(t, err)
		require.Equal(t, liam, still)
		second, err := b.Second(t.Context(), still)
		require.NoError(t, err)
		require.True(t, second.App)
		require.NotZero(t, second.Recovery)
	})
}

// Else somebody who often proves who they are waits like one who guesses.
func TestAProofThatSucceedsIsNoFailedTry(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora, app, _ := b.enrol(b.hire("nora", staff.Cashier))
		for range 15 {
			b.pass(time.Minute)
			_, err := b.RenewRecovery(t.Context(), proved(b, nora), password, app.code(), "192.0.2.1")
			require.NoError(t, err)
		}
		for range 15 {
			b.pass(time.Minute)
			_, err := b.finish(nora, app.code(), "192.0.2.1")
			require.NoError(t, err)
		}
	})
}
