package staff_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/staff"
)

// phone is somebody's app.
type phone struct {
	b      *bench
	secret string
}

func (p phone) code() string {
	p.b.t.Helper()
	code, err := totp.GenerateCode(p.secret, p.b.clock())
	require.NoError(p.b.t, err)
	return code
}

// proved is somebody who has just proved who they are, with all that they have.
func proved(b *bench, u staff.User) audit.Actor {
	now := b.clock()
	return staff.Presence{User: u, SignedInAt: now, SecondAt: &now}.Actor()
}

func codeOf(err error) string {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Code
	}
	return fmt.Sprint(err)
}

// enrol gives a user a second factor, and returns them as they sign in from then on.
func (b *bench) enrol(u staff.User) (staff.User, phone, []string) {
	b.t.Helper()
	by := proved(b, u)
	require.NoError(b.t, b.BeginSecond(b.t.Context(), by))
	second, err := b.Second(b.t.Context(), u)
	require.NoError(b.t, err)
	p := phone{b, second.Secret}
	after, recovery, err := b.ConfirmSecond(b.t.Context(), by, password, p.code(), "192.0.2.1")
	require.NoError(b.t, err)
	b.pass(time.Minute)
	return after, p, recovery
}

func (b *bench) finish(u staff.User, code, address string) (staff.User, error) {
	b.t.Helper()
	token, err := b.AwaitSecond(b.t.Context(), u, false)
	require.NoError(b.t, err)
	return b.FinishLogin(b.t.Context(), token, code, staff.Attempt{Address: address})
}

func TestASecondFactorIsAskedFromTheNextSignInOn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora := b.hire("nora", staff.Finance)
		b.signIn("old", nora, "")
		after, p, recovery := b.enrol(nora)
		require.Equal(t, string(audit.UserSecondSet), string(b.lastAct().Act))
		require.Len(t, recovery, 10)
		_, live := b.present("old")
		require.False(t, live, "what was open is over")

		u, err := b.login("nora", password, "192.0.2.1")
		require.NoError(t, err)
		require.True(t, u.HasSecond())
		for _, wrong := range []string{"", "000000", p.secret, "abcd-efgh-ijkl-mnop", p.code() + "1"} {
			_, err = b.finish(u, wrong, "192.0.2."+strconv.Itoa(len(wrong)))
			require.Equal(t, "code.wrong", codeOf(err), wrong)
		}
		in, err := b.finish(u, p.code()[:3]+" "+p.code()[3:], "192.0.2.1")
		require.NoError(t, err)
		require.Equal(t, after.ID, in.ID)

		var sealed string
		require.NoError(t, b.db.Read(t.Context()).Raw("SELECT secret FROM authenticators").Scan(&sealed).Error)
		require.NotContains(t, sealed, p.secret)
	})
}

// Some apps take an address in ASCII alone, whatever the username.
func TestAnAppIsGivenAnAddress(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		zoe := b.hire("zoë@quay", staff.Finance)
		require.NoError(t, b.BeginSecond(t.Context(), proved(b, zoe)))
		second, err := b.Second(t.Context(), zoe)
		require.NoError(t, err)
		key, err := otp.NewKeyFromURL(second.URL)
		require.NoError(t, err)
		require.Equal(t, []string{"airtill", zoe.Username, second.Secret}, []string{key.Issuer(), key.AccountName(), key.Secret()})
		require.False(t, strings.ContainsFunc(second.URL, func(r rune) bool { return r > unicode.MaxASCII }))
	})
}

// A code, and each of an earlier step, is refused once one was used, by whichever process.
func TestACodeCountsOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora, p, _ := b.enrol(b.hire("nora", staff.Finance))
		other := staff.New(b.deps) // another process on the same database
		code := p.code()
		var tokens [8]string
		for i := range tokens {
			token, err := b.AwaitSecond(t.Context(), nora, false)
			require.NoError(t, err)
			tokens[i] = token
		}
		var wg sync.WaitGroup
		errs := make([]error, len(tokens))
		for i, token := range tokens {
			service := b.Service
			if i%2 == 1 {
				service = other
			}
			wg.Go(func() {
				_, errs[i] = service.FinishLogin(t.Context(), token, code, staff.Attempt{Address: "192.0.2." + strconv.Itoa(i)})
			})
		}
		wg.Wait()
		in := 0
		for _, err := range errs {
			if err == nil {
				in++
				continue
			}
			require.Equal(t, "code.wrong", codeOf(err))
		}
		require.Equal(t, 1, in)

		b.pass(30 * time.Second)
		_, err := b.finish(nora, code, "192.0.2.20")
		require.Equal(t, "code.wrong", codeOf(err), "the step before counts as such, and was used")
		fresh := p.code()
		b.pass(30 * time.Second)
		_, err = b.finish(nora, fresh, "192.0.2.21")
		require.NoError(t, err, "one step late")
		late := p.code()
		b.pass(90 * time.Second)
		_, err = b.finish(nora, late, "192.0.2.22")
		require.Equal(t, "code.wrong", codeOf(err), "three steps late")
	})
}

func TestRecoveryCodesCountOnceEach(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora, p, recovery := b.enrol(b.hire("nora", staff.Finance))
		var kept []string
		require.NoError(t, b.db.Read(t.Context()).Raw("SELECT code_hash FROM recovery_codes").Scan(&kept).Error)
		require.NotContains(t, kept, recovery[0])
		_, err := b.finish(nora, " "+recovery[0], "192.0.2.1")
		require.NoError(t, err)
		require.Equal(t, string(audit.UserRecoveryUsed), string(b.lastAct().Act))
		_, err = b.finish(nora, recovery[0], "192.0.2.2")
		require.Equal(t, "code.wrong", codeOf(err))
		_, _, others := b.enrol(b.hire("liam", staff.Finance))
		_, err = b.finish(nora, others[0], "192.0.2.2")
		require.Equal(t, "code.wrong", codeOf(err), "somebody else's")
		second, err := b.Second(t.Context(), nora)
		require.NoError(t, err)
		require.Equal(t, 9, second.Recovery)

		_, err = b.RenewRecovery(t.Context(), proved(b, nora), "wrong", p.code(), "192.0.2.3")
		require.Equal(t, "password.wrong", codeOf(err))
		renewed, err := b.RenewRecovery(t.Context(), proved(b, nora), password, p.code(), "192.0.2.3")
		require.NoError(t, err)
		require.Equal(t, audit.UserRecoveryRenewed, b.lastAct().Act)
		_, err = b.finish(nora, recovery[1], "192.0.2.4")
		require.Equal(t, "code.wrong", codeOf(err), "the old ones are over")
		_, err = b.finish(nora, renewed[1], "192.0.2.5")
		require.NoError(t, err)
	})
}

func TestRemovalTakesPasswordAndCode(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora, p, recovery := b.enrol(b.hire("nora", staff.Finance))
		by := proved(b, nora)
		_, err := b.RemoveSecond(t.Context(), by, "wrong", p.code(), "192.0.2.1")
		require.Equal(t, "password.wrong", codeOf(err))
		_, err = b.RemoveSecond(t.Context(), by, password, "000000", "192.0.2.2")
		require.Equal(t, "code.wrong", codeOf(err))
		b.signIn("open", nora, "")
		after, err := b.RemoveSecond(t.Context(), by, password, p.code(), "192.0.2.3")
		require.NoError(t, err)
		require.False(t, after.HasSecond())
		_, live := b.present("open")
		require.False(t, live)
		_, err = b.finish(after, recovery[0], "192.0.2.4")
		require.Equal(t, "second.none", codeOf(err))
		left, err := b.Second(t.Context(), after)
		require.NoError(t, err)
		require.Zero(t, left.Recovery)
	})
}

// A thousand tries, each with the password and a wrong code, let at most a few hundred codes
// be looked at in a month; the owner's own browser is in a line of its own.
func TestAThousandCodes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora := b.hire("nora", staff.Finance)
		device, err := b.RememberDevice(t.Context(), "", nora.ID, "")
		require.NoError(t, err)
		nora, p, _ := b.enrol(nora)
		looked := 0
		for range 1000 {
			var wait *staff.TooManyTries
			if _, err := b.finish(nora, "000000", "192.0.2.66"); !errors.As(err, &wait) {
				looked++
				require.Equal(t, "code.wrong", codeOf(err))
			}
			b.pass(time.Second)
		}
		require.Less(t, looked, 20)
		token, err := b.AwaitSecond(t.Context(), nora, false)
		require.NoError(t, err)
		_, err = b.FinishLogin(t.Context(), token, p.code(), staff.Attempt{Address: "192.0.2.1", Device: device})
		require.NoError(t, err)
	})
}

func TestTwoAdminsResetASecondFactor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		first, second := b.hire("first", staff.Admin), b.hire("second", staff.Admin)
		cash, _, _ := b.enrol(b.hire("aoife", staff.Cashier))
		require.Equal(t, "second.reset-own", codeOf(b.ResetSecond(t.Context(), proved(b, first), first.ID, "x")))
		require.NoError(t, b.ResetSecond(t.Context(), proved(b, first), cash.ID, "lost it"))
		u, err := b.User(t.Context(), cash.ID)
		require.NoError(t, err)
		require.True(t, u.HasSecond(), "it takes two, whatever the role")
		require.Equal(t, fault.Forbidden, fault.KindOf(b.Decide(t.Context(), proved(b, first), cash.ID, true)))
		require.NoError(t, b.Decide(t.Context(), proved(b, second), cash.ID, true))
		require.Equal(t, string(audit.UserSecondReset), string(b.lastAct().Act))
		u, err = b.User(t.Context(), cash.ID)
		require.NoError(t, err)
		require.False(t, u.HasSecond())
	})
}

// Whoever has a second factor signs with it, and not with the password of ten minutes ago.
func TestFourEyesTakeAFreshSecondFactor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		admin, _, _ := b.enrol(b.hire("first", staff.Admin))
		target := b.hire("target", staff.Auditor)
		p := staff.Presence{User: admin, SignedInAt: b.clock()}
		require.Equal(t, "staff.code-again", codeOf(b.ChangePost(t.Context(), p.Actor(), target.ID, staff.Post{Role: staff.Finance}, "x")))
		given := b.clock()
		p.SecondAt = &given
		b.pass(5*time.Minute - time.Second)
		require.True(t, p.Fresh(b.clock()))
		b.pass(time.Second)
		require.False(t, p.Fresh(b.clock()))
		require.Equal(t, "staff.code-again", codeOf(b.ChangePost(t.Context(), p.Actor(), target.ID, staff.Post{Role: staff.Finance}, "x")))
	})
}

func TestRolesThatNeedASecondFactor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		needs := func() (roles []staff.Role) {
			for _, role := range staff.Roles() {
				name := string(role)
				p, live := b.present(name)
				require.True(t, live)
				if p.NeedSecond {
					roles = append(roles, role)
				}
			}
			return roles
		}
		for _, role := range staff.Roles() {
			b.signIn(string(role), b.hire(string(role), role), "")
		}
		require.Equal(t, []staff.Role{staff.Finance, staff.Admin}, needs())
		admin := audit.Actor{UserID: "x", Name: "admin", Role: string(staff.Admin)}
		require.NoError(t, b.SetRule(t.Context(), admin, staff.Rule{Role: staff.Manager, SecondFactor: true}, "192.0.2.1"))
		require.Equal(t, []staff.Role{staff.Manager, staff.Finance, staff.Admin}, needs(), "at the next request")
		require.NoError(t, b.SetRule(t.Context(), admin, staff.Rule{Role: staff.Finance}, "192.0.2.1"))
		require.Equal(t, []staff.Role{staff.Manager, staff.Finance, staff.Admin}, needs(), "finance always")
	})
}

func TestNetworksOfARole(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.hire("nora", staff.Finance)
		admin := audit.Actor{UserID: "x", Name: "admin", Role: string(staff.Admin)}
		set := func(role staff.Role, networks string) error {
			return b.SetRule(t.Context(), admin, staff.Rule{Role: role, Networks: networks}, "192.0.2.1")
		}
		require.Equal(t, "rule.shuts-out", codeOf(set(staff.Admin, "198.51.100.0/24")))
		require.NoError(t, set(staff.Admin, "198.51.100.0/24, 192.0.2.1"))
		for _, none := range []string{"here", "::ffff:198.51.100.0/120", "::ffff:198.51.100.7"} {
			require.Equal(t, "rule.network", codeOf(set(staff.Finance, none)), none)
		}
		require.NoError(t, set(staff.Finance, "198.51.100.7/24 2001:db8::/32"))
		require.Equal(t, audit.RoleRuleSet, b.lastAct().Act)
		rules, err := b.Rules(t.Context())
		require.NoError(t, err)
		require.Equal(t, "198.51.100.0/24 2001:db8::/32", rules[3].Networks)

		for _, address := range []string{"198.51.100.200", "2001:db8::9", "::ffff:198.51.100.3"} {
			_, err := b.login("nora", password, address)
			require.NoError(t, err, address)
		}
		for _, address := range []string{"192.0.2.9", "", "unknown"} {
			_, err = b.login("nora", password, address)
			require.Equal(t, "rule.elsewhere", codeOf(err), address)
			require.Equal(t, string(audit.UserElsewhere), string(b.lastAct().Act))
		}
		_, err = b.login("nora", "wrong wrong wrong", "192.0.2.10")
		require.Equal(t, "login.wrong", codeOf(err), "who does not know the password learns nothing")
	})
}

// Whoever knows the old password, and is changing it while an admin resets it, does not have the last word.
func TestAResetOutlivesAChangeUnderWay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		u := b.hire("nora", staff.Cashier)
		deps, reset := b.deps, false
		deps.Now = func() time.Time { // asked after the change began, and before the old password is compared
			if !reset {
				reset = true
				require.NoError(t, b.SetPassword(t.Context(), setup, u.ID, "another zebra battery", 0, "stolen"))
			}
			return b.clock()
		}
		_, err := staff.New(deps).ChangePassword(t.Context(), actorOf(b, u, 0), password, "the thief's own battery", "192.0.2.1")
		require.True(t, reset)
		require.Equal(t, fault.Forbidden, fault.KindOf(err))
		_, err = b.login("nora", "another zebra battery", "192.0.2.1")
		require.NoError(t, err)
	})
}

// Nor does whoever is setting up a second factor with it, or is making away with one.
func TestAResetOutlivesASecondFactorUnderWay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		set, has := b.hire("nora", staff.Cashier), b.hire("sean", staff.Cashier)
		by := proved(b, set)
		require.NoError(t, b.BeginSecond(t.Context(), by))
		second, err := b.Second(t.Context(), set)
		require.NoError(t, err)
		has, app, _ := b.enrol(has)
		late := func(u staff.User) *staff.Service {
			deps, reset := b.deps, false
			deps.Now = func() time.Time { // asked after the old password was read, and before it is compared
				if !reset {
					reset = true
					require.NoError(t, b.SetPassword(t.Context(), setup, u.ID, "another zebra battery", 0, "stolen"))
				}
				return b.clock()
			}
			return staff.New(deps)
		}
		_, _, err = late(set).ConfirmSecond(t.Context(), by, password, phone{b, second.Secret}.code(), "192.0.2.1")
		require.Equal(t, fault.Forbidden, fault.KindOf(err))
		set, err = b.User(t.Context(), set.ID)
		require.NoError(t, err)
		require.False(t, set.HasSecond(), "the thief's phone is nobody's")
		_, err = late(has).RenewRecovery(t.Context(), proved(b, has), password, app.code(), "192.0.2.1")
		require.Equal(t, fault.Forbidden, fault.KindOf(err))
		_, err = late(has).RemoveSecond(t.Context(), proved(b, has), "another zebra battery", app.code(), "192.0.2.1")
		require.Equal(t, fault.Forbidden, fault.KindOf(err))
		has, err = b.User(t.Context(), has.ID)
		require.NoError(t, err)
		require.True(t, has.HasSecond())
	})
}

func TestAFirstPasswordEnds(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		admin := b.hire("first", staff.Admin)
		u, err := b.CreateUser(t.Context(), proved(b, admin), staff.NewUser{Username: "new", Role: staff.Cashier, ShopID: b.shop.ID, Password: password})
		require.NoError(t, err)
		b.pass(72*time.Hour - time.Second)
		in, err := b.login("new", password, "192.0.2.1")
		require.NoError(t, err)
		require.True(t, in.MustChangePassword())
		require.NoError(t, b.SetPassword(t.Context(), proved(b, admin), u.ID, password+" 2", 0, "x"))
		b.pass(72 * time.Hour)
		_, err = b.login("new", password+" 2", "192.0.2.1")
		require.Equal(t, "login.wrong", codeOf(err))

		require.NoError(t, b.SetPassword(t.Context(), setup, u.ID, password, 0, "x"))
		b.pass(1000 * time.Hour)
		_, err = b.login("new", password, "192.0.2.1")
		require.NoError(t, err, "a command's does not end")
	})
}

// TestACodeOfAnAppThatNobodyConfirmedProvesNothing: whoever finds a screen open can begin to set up an app of theirs.
func TestACodeOfAnAppThatNobodyConfirmedProvesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora, _, _ := b.keyed(b.hire("nora", staff.Finance))
		by := proved(b, nora)
		require.NoError(t, b.BeginSecond(t.Context(), by))
		second, err := b.Second(t.Context(), nora)
		require.NoError(t, err)
		p := phone{b, second.Secret}
		require.Equal(t, "code.wrong", codeOf(b.ProveSecond(t.Context(), by, p.code(), "192.0.2.1")))
		_, err = b.finish(nora, p.code(), "192.0.2.2")
		require.Equal(t, "code.wrong", codeOf(err))
		_, err = b.RemoveSecond(t.Context(), by, password, p.code(), "192.0.2.3")
		require.Equal(t, "code.wrong", codeOf(err))

		nora, _, err = b.ConfirmSecond(t.Context(), by, password, p.code(), "192.0.2.1")
		require.NoError(t, err)
		b.pass(time.Minute)
		_, err = b.finish(nora, p.code(), "192.0.2.1")
		require.NoError(t, err)
	})
}
