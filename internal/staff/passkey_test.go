package staff_test

import (
	"sync"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"
	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
)

// device is what holds somebody's passkey.
type device struct {
	b     *bench
	site  virtualwebauthn.RelyingParty
	auth  virtualwebauthn.Authenticator
	key   virtualwebauthn.Credential
	token string // of the last challenge
}

func (b *bench) device(u staff.User) *device {
	return &device{
		b: b, site: virtualwebauthn.RelyingParty{Name: "airtill", ID: "till.example.com", Origin: "https://till.example.com"},
		auth: virtualwebauthn.NewAuthenticatorWithOptions(virtualwebauthn.AuthenticatorOptions{UserHandle: []byte(u.ID)}),
		key:  stafftest.NewPasskey(b.t),
	}
}

// made is the device's answer to a challenge for a new passkey.
func (d *device) made(by audit.Actor) string {
	d.b.t.Helper()
	asked, token, err := d.b.BeginPasskey(d.b.t.Context(), by)
	require.NoError(d.b.t, err)
	options, err := virtualwebauthn.ParseAttestationOptions(string(asked))
	require.NoError(d.b.t, err)
	d.token = token
	return virtualwebauthn.CreateAttestationResponse(d.site, d.auth, d.key, *options)
}

// signed is its answer to a challenge for one that is there; each signature counts.
func (d *device) signed() string {
	d.b.t.Helper()
	asked, token, err := d.b.AskPasskey(d.b.t.Context())
	require.NoError(d.b.t, err)
	options, err := virtualwebauthn.ParseAssertionOptions(string(asked))
	require.NoError(d.b.t, err)
	require.Equal(d.b.t, d.site.ID, options.RelyingPartyID)
	d.token = token
	d.key.Counter++
	return virtualwebauthn.CreateAssertionResponse(d.site, d.auth, d.key, *options)
}

func (d *device) login() (staff.User, error) {
	answer := d.signed()
	return d.b.LoginByPasskey(d.b.t.Context(), d.token, answer, staff.Attempt{Address: "192.0.2.1"})
}

// keyed gives a user a passkey.
func (b *bench) keyed(u staff.User) (staff.User, *device, []string) {
	b.t.Helper()
	d, by := b.device(u), proved(b, u)
	answer := d.made(by)
	after, recovery, err := b.AddPasskey(b.t.Context(), by, d.token, "phone", answer)
	require.NoError(b.t, err)
	return after, d, recovery
}

func TestAPasskeyIsASecondFactorAndAWholeSignIn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora := b.hire("nora", staff.Finance)
		b.signIn("old", nora, "")
		after, d, recovery := b.keyed(nora)
		require.True(t, after.HasSecond())
		require.Len(t, recovery, 10)
		require.Equal(t, audit.UserPasskeyAdded, b.lastAct().Act)
		_, live := b.present("old")
		require.False(t, live, "what was open is over")

		in, err := d.login()
		require.NoError(t, err)
		require.Equal(t, after.ID, in.ID)
		require.Equal(t, after.Epoch, in.Epoch)
		u, err := b.login("nora", password, "192.0.2.1")
		require.NoError(t, err)
		require.True(t, u.HasSecond(), "a password alone is not enough any more")
		_, err = b.finish(u, recovery[0], "192.0.2.1")
		require.NoError(t, err)

		second, err := b.Second(t.Context(), after)
		require.NoError(t, err)
		require.Len(t, second.Passkeys, 1)
		require.Equal(t, "phone", second.Passkeys[0].Name)
		require.NotNil(t, second.Passkeys[0].UsedAt)
		require.False(t, second.App)

		require.NoError(t, b.Disable(t.Context(), setup, nora.ID, "gone"))
		_, err = d.login()
		require.Equal(t, "passkey.wrong", codeOf(err))
	})
}

// An answer counts once, to whichever process it is brought, and within minutes.
func TestAChallengeIsSpentOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		_, d, _ := b.keyed(b.hire("nora", staff.Finance))
		other := staff.New(b.deps) // another process on the same database
		answer := d.signed()
		var wg sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			service := b.Service
			if i%2 == 1 {
				service = other
			}
			wg.Go(func() {
				_, errs[i] = service.LoginByPasskey(t.Context(), d.token, answer, staff.Attempt{Address: "192.0.2.1"})
			})
		}
		wg.Wait()
		in := 0
		for _, err := range errs {
			if err == nil {
				in++
				continue
			}
			require.Equal(t, "passkey.wrong", codeOf(err))
		}
		require.Equal(t, 1, in)

		late := d.signed()
		b.pass(5 * time.Minute)
		_, err := b.LoginByPasskey(t.Context(), d.token, late, staff.Attempt{})
		require.Equal(t, "passkey.wrong", codeOf(err), "too late")
		require.NoError(t, b.Sweep(t.Context()))
		var left int64
		require.NoError(t, b.db.Read(t.Context()).Table("challenges").Count(&left).Error)
		require.Zero(t, left)

		wrong := d.signed()
		_, err = b.LoginByPasskey(t.Context(), d.token, "{}", staff.Attempt{})
		require.Equal(t, "passkey.wrong", codeOf(err))
		_, err = b.LoginByPasskey(t.Context(), d.token, wrong, staff.Attempt{})
		require.Equal(t, "passkey.wrong", codeOf(err), "a wrong answer spends it, too")
		_, err = d.login()
		require.NoError(t, err)
	})
}

func TestAnswersThatProveNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora, mine, _ := b.keyed(b.hire("nora", staff.Finance))
		sean, other, _ := b.keyed(b.hire("sean", staff.Finance))
		for name, change := range map[string]func(*device){
			"of another site":              func(d *device) { d.site.Origin = "https://till.example.com.evil.example" },
			"for another site":             func(d *device) { d.site.ID = "evil.example" },
			"without asking for its owner": func(d *device) { d.auth.Options.UserNotVerified = true },
			"without anybody":              func(d *device) { d.auth.Options.UserNotPresent = true },
			"by another key":               func(d *device) { d.key.Key = stafftest.NewPasskey(t).Key },
			"of a key that nobody has":     func(d *device) { d.key = stafftest.NewPasskey(t) },
			"in another's name":            func(d *device) { d.auth.Options.UserHandle = []byte(sean.ID) },
		} {
			asked, token, err := b.AskPasskey(t.Context())
			require.NoError(t, err)
			options, err := virtualwebauthn.ParseAssertionOptions(string(asked))
			require.NoError(t, err)
			d := *mine
			change(&d)
			d.key.Counter++
			answer := virtualwebauthn.CreateAssertionResponse(d.site, d.auth, d.key, *options)
			_, err = b.LoginByPasskey(t.Context(), token, answer, staff.Attempt{})
			require.Equal(t, "passkey.wrong", codeOf(err), name)
		}
		answer := other.signed()
		require.Equal(t, "passkey.wrong", codeOf(b.ProvePasskey(t.Context(), proved(b, nora), other.token, answer)), "somebody else's")
		answer = mine.signed()
		require.NoError(t, b.ProvePasskey(t.Context(), proved(b, nora), mine.token, answer))
		in, err := other.login()
		require.NoError(t, err, "his is as it was")
		require.Equal(t, sean.ID, in.ID)

		rule := staff.Rule{Role: staff.Finance, Networks: "198.51.100.0/24"}
		require.NoError(t, b.SetRule(t.Context(), audit.Actor{UserID: "x", Role: string(staff.Admin)}, rule, "192.0.2.1"))
		_, err = mine.login()
		require.Equal(t, "rule.elsewhere", codeOf(err))
	})
}

// A count that does not rise is that of a copy: the key counts no more, whoever has it.
func TestACopiedPasskeyCountsNoMore(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora, d, _ := b.keyed(b.hire("nora", staff.Finance))
		_, other, _ := b.keyed(b.hire("sean", staff.Finance))
		copied := *d
		for range 3 {
			_, err := d.login()
			require.NoError(t, err)
		}
		_, err := copied.login()
		require.Equal(t, "passkey.copied", codeOf(err))
		require.Equal(t, audit.UserPasskeyCopied, b.lastAct().Act)
		_, err = d.login()
		require.Equal(t, "passkey.copied", codeOf(err))
		_, err = other.login()
		require.NoError(t, err, "another's counts on")
		second, err := b.Second(t.Context(), nora)
		require.NoError(t, err)
		require.NotNil(t, second.Passkeys[0].CopiedAt)
	})
}

func TestPasskeysAreAddedAndRemovedByWhoHasJustProvedWhoTheyAre(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora, d, _ := b.keyed(b.hire("nora", staff.Finance))
		stale := staff.Presence{User: nora, SignedInAt: b.clock()}.Actor() // a password, and no second factor
		_, _, err := b.BeginPasskey(t.Context(), stale)
		require.Equal(t, "second.again", codeOf(err))
		_, _, err = b.AddPasskey(t.Context(), stale, "", "x", "")
		require.Equal(t, "second.again", codeOf(err))
		_, err = b.RemovePasskey(t.Context(), stale, nora.Epoch, "x")
		require.Equal(t, "second.again", codeOf(err))
		_, _, err = b.ConfirmSecond(t.Context(), stale, password, "000000", "192.0.2.1")
		require.Equal(t, "second.again", codeOf(err), "nor is an app added beside it")

		by, same := proved(b, nora), *d
		answer := same.made(by)
		_, _, err = b.AddPasskey(t.Context(), by, same.token, "again", answer)
		require.Equal(t, "passkey.wrong", codeOf(err), "one key is one passkey")
		sean := b.hire("sean", staff.Finance)
		answer = same.made(by)
		_, _, err = b.AddPasskey(t.Context(), proved(b, sean), same.token, "theirs", answer)
		require.Equal(t, "passkey.wrong", codeOf(err), "a challenge is for who asked for it")

		second := b.device(nora)
		_, _, err = b.BeginPasskey(t.Context(), by) // in another window
		require.NoError(t, err)
		answer = second.made(by)
		nora, codes, err := b.AddPasskey(t.Context(), by, second.token, "stick", answer)
		require.NoError(t, err)
		require.Empty(t, codes, "the recovery codes stay as they are")
		all, err := b.Second(t.Context(), nora)
		require.NoError(t, err)
		require.Len(t, all.Passkeys, 2)
		nora, err = b.RemovePasskey(t.Context(), proved(b, nora), nora.Epoch, all.Passkeys[0].ID)
		require.NoError(t, err)
		require.True(t, nora.HasSecond())
		require.Equal(t, audit.UserPasskeyRemoved, b.lastAct().Act)
		_, err = b.RemovePasskey(t.Context(), proved(b, nora), nora.Epoch, all.Passkeys[0].ID)
		require.Equal(t, fault.NotFound, fault.KindOf(err))
		_, err = b.RemovePasskey(t.Context(), proved(b, sean), sean.Epoch, all.Passkeys[1].ID)
		require.Equal(t, fault.NotFound, fault.KindOf(err), "another's")
		nora, err = b.RemovePasskey(t.Context(), proved(b, nora), nora.Epoch, all.Passkeys[1].ID)
		require.NoError(t, err)
		require.False(t, nora.HasSecond())
		_, err = second.login()
		require.Equal(t, "passkey.wrong", codeOf(err))
	})
}

func TestAResetTakesPasskeysAway(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		first, second := b.hire("first", staff.Admin), b.hire("second", staff.Admin)
		cash, d, _ := b.keyed(b.hire("aoife", staff.Cashier))
		require.NoError(t, b.ResetSecond(t.Context(), proved(b, first), cash.ID, "lost it"))
		_, err := d.login()
		require.NoError(t, err, "it takes two")
		require.NoError(t, b.Decide(t.Context(), proved(b, second), cash.ID, true))
		_, err = d.login()
		require.Equal(t, "passkey.wrong", codeOf(err))
		cash, err = b.User(t.Context(), cash.ID)
		require.NoError(t, err)
		require.False(t, cash.HasSecond())
	})
}

// An app that is not set up yet is no second factor: who has nothing else would be asked for what they cannot give.
func TestThePasskeyThatWasAllIsAllOfTheSecondFactor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		sean, _, _ := b.keyed(b.hire("sean", staff.Cashier)) // what another has is not hers
		b.enrol(sean)
		nora, _, _ := b.keyed(b.hire("nora", staff.Cashier))
		require.NoError(t, b.BeginSecond(t.Context(), proved(b, nora)))
		all, err := b.Second(t.Context(), nora)
		require.NoError(t, err)
		nora, err = b.RemovePasskey(t.Context(), proved(b, nora), nora.Epoch, all.Passkeys[0].ID)
		require.NoError(t, err)
		require.False(t, nora.HasSecond())
	})
}

func TestAnAdminsPasskeyBreaksTheGlass(t *testing.T) {
	t.Parallel()
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		root, key, _ := b.keyed(b.hire("root", staff.Admin))
		_, err := key.login()
		require.NoError(t, err)
		act := b.lastAct()
		require.Equal(t, []string{string(audit.UserBreakGlass), root.ID}, []string{string(act.Act), act.UserID})
	})
}

// A short password is for who has a second factor, and goes with it.
func TestAShortPasswordStandsBesideASecondFactor(t *testing.T) {
	t.Parallel()
	const brief = "9 otters"
	each(t, func(t *testing.T, b *bench) {
		first, second := b.hire("first", staff.Admin), b.hire("second", staff.Admin)
		nora := b.hire("nora", staff.Finance)
		_, err := b.ChangePassword(t.Context(), proved(b, nora), password, brief, "192.0.2.1")
		require.Equal(t, "password.too-short", codeOf(err))
		nora, d, recovery := b.keyed(nora)
		_, err = b.ChangePassword(t.Context(), proved(b, nora), password, brief[1:], "192.0.2.1")
		require.Equal(t, "password.too-short", codeOf(err))
		nora, err = b.ChangePassword(t.Context(), proved(b, nora), password, brief, "192.0.2.1")
		require.NoError(t, err)

		all, err := b.Second(t.Context(), nora)
		require.NoError(t, err)
		_, err = b.RemovePasskey(t.Context(), proved(b, nora), nora.Epoch, all.Passkeys[0].ID)
		require.Equal(t, "password.short-alone", codeOf(err))
		_, err = b.RemoveSecond(t.Context(), proved(b, nora), brief, recovery[0], "192.0.2.1")
		require.Equal(t, "password.short-alone", codeOf(err))
		_, err = d.login()
		require.NoError(t, err, "and it is still there")

		require.NoError(t, b.ResetSecond(t.Context(), proved(b, first), nora.ID, "lost it"))
		require.NoError(t, b.Decide(t.Context(), proved(b, second), nora.ID, true))
		nora, err = b.login("nora", brief, "192.0.2.1")
		require.NoError(t, err)
		require.True(t, nora.MustChangePassword(), "it opens one session, for another to be chosen")
		_, err = b.login("nora", brief, "192.0.2.1")
		require.Equal(t, "login.wrong", codeOf(err))
		nora, err = b.ChangePassword(t.Context(), proved(b, nora), brief, password, "192.0.2.1")
		require.NoError(t, err)
		require.False(t, nora.MustChangePassword())
	})
}

func TestAddressesThatTakePasskeys(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t))
	for address, takes := range map[string]bool{
		"https://till.example.com": true, "https://till.example.com:8443": true, "http://localhost:8080": true,
		"http://127.0.0.1:8080": false, "https://192.0.2.7": false, "https://[2001:db8::1]": false, "http://till.example.com": false, "": false,
	} {
		d := b.deps
		d.PublicURL = address
		s := staff.New(d)
		require.Equal(t, takes, s.TakesPasskeys(), address)
		_, _, err := s.AskPasskey(t.Context())
		if takes {
			require.NoError(t, err)
			continue
		}
		require.Equal(t, "passkey.address", codeOf(err), address)
		_, _, err = s.BeginPasskey(t.Context(), audit.Actor{})
		require.Equal(t, "passkey.address", codeOf(err), address)
		_, err = s.LoginByPasskey(t.Context(), "", "", staff.Attempt{})
		require.Equal(t, "passkey.address", codeOf(err), address)
	}
}

// Whoever began to add a passkey before a reset, or before they were signed out, does not have the last word.
func TestAResetOutlivesAPasskeyThatIsBeingAdded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora := b.hire("nora", staff.Cashier)
		d, by := b.device(nora), proved(b, nora)
		answer := d.made(by)
		require.NoError(t, b.SetPassword(t.Context(), setup, nora.ID, "another zebra battery", 0, "stolen"))
		_, _, err := b.AddPasskey(t.Context(), by, d.token, "the thief's", answer)
		require.Equal(t, fault.Forbidden, fault.KindOf(err))
		_, err = d.login()
		require.Equal(t, "passkey.wrong", codeOf(err))
	})
}
