package staff_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/idp"
	"airtill/internal/idp/idptest"
	"airtill/internal/staff"
	"airtill/internal/store"
)

// outsideBench is a bench whose people may come from an identity provider.
type outsideBench struct {
	*bench
	provider *idptest.Provider
}

func eachOutside(t *testing.T, test func(t *testing.T, b *outsideBench)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		b := &outsideBench{bench: newBench(t, db)}
		b.provider = idptest.New(t, b.clock)
		asked, err := idp.New(idp.Deps{
			Issuer: b.provider.URL, ClientID: idptest.ClientID, ClientSecret: idptest.Secret, GroupClaim: "groups",
			ShopClaim: "shop", Redirect: "https://till.example.com/login/sso", Now: b.clock,
		})
		require.NoError(t, err)
		b.deps.Outside = &staff.Outside{Provider: asked, Roles: []staff.GroupRole{
			{Group: "owners", Role: staff.Admin}, {Group: "desk", Role: staff.Auditor}, {Group: "tills", Role: staff.Cashier},
		}}
		b.Service = staff.New(b.deps)
		test(t, b)
	})
}

// comes signs somebody in at the provider.
func (b *outsideBench) comes(subject, username, group string, more ...string) (staff.Arrival, error) {
	b.t.Helper()
	b.provider.Claims = map[string]any{"sub": subject, "preferred_username": username, "groups": group}
	for i := 0; i < len(more); i += 2 {
		b.provider.Claims[more[i]] = more[i+1]
	}
	address, token, err := b.BeginOutside(b.t.Context(), staff.Onward{Next: "/"})
	require.NoError(b.t, err)
	state, code := b.provider.Visit(address)
	return b.FinishOutside(b.t.Context(), token, state, code, staff.Attempt{Address: "192.0.2.9"})
}

// refused is who comes as somebody else, and what is stored of it.
func (b *outsideBench) refused(subject, username, group string, more ...string) staff.RefusedArrival {
	b.t.Helper()
	_, err := b.comes(subject, username, group, more...)
	require.Equal(b.t, "sso.name-taken", codeOf(err))
	require.ErrorContains(b.t, err, "The username "+username+" belongs to another account here. Ask an admin.")
	for _, a := range b.arrivals() {
		if a.Subject == subject {
			return a
		}
	}
	require.Fail(b.t, "nothing is stored of "+subject)
	return staff.RefusedArrival{}
}

func (b *outsideBench) arrivals() []staff.RefusedArrival {
	b.t.Helper()
	all, err := b.RefusedArrivals(b.t.Context())
	require.NoError(b.t, err)
	return all
}

func (b *outsideBench) now(id string) staff.User {
	b.t.Helper()
	u, err := b.User(b.t.Context(), id)
	require.NoError(b.t, err)
	return u
}

// linked links an account, by two admins.
func (b *outsideBench) linked(first, second, u staff.User, a staff.RefusedArrival) staff.User {
	b.t.Helper()
	require.NoError(b.t, b.Link(b.t.Context(), signedIn(b.bench, first), u.ID, a.ID, a.Role, "the same"))
	require.NoError(b.t, b.Decide(b.t.Context(), signedIn(b.bench, second), u.ID, true))
	return b.now(u.ID)
}

func TestARefusedArrivalIsRememberedForAWhile(t *testing.T) {
	t.Parallel()
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		nora := b.hire("nora", staff.Cashier)
		hired := b.now(nora.ID)
		first := b.refused("7", "nora", "desk", "name", "Nora \u202eB", "email", "nora@example.com")
		require.Equal(t, staff.RefusedArrival{
			ID: first.ID, VouchedBy: b.provider.URL, Subject: "7", UserID: nora.ID, Name: "Nora B", Email: "nora@example.com",
			Role: staff.Auditor, Attempts: 1, LastAt: noon,
		}, first)
		require.Equal(t, hired, b.now(nora.ID), "nothing of the account has changed")
		_, err := b.login("nora", password, "192.0.2.9")
		require.NoError(t, err)

		b.pass(time.Hour)
		again := b.refused("7", "nora", "tills", "email", "nora@example.com\x00", "shop", b.shop.ID)
		require.Len(t, b.arrivals(), 1, "one row for a person")
		require.Equal(t, staff.RefusedArrival{
			ID: first.ID, VouchedBy: b.provider.URL, Subject: "7", UserID: nora.ID, Name: "nora", Role: staff.Cashier,
			ShopID: b.shop.ID, Attempts: 2, LastAt: noon.Add(time.Hour),
		}, again)
		other := b.hire("other", staff.Admin)
		require.Equal(t, 1, b.refused("7", "other", "tills").Attempts, "as somebody else")
		require.Len(t, b.arrivals(), 1)
		_ = b.refused("8", "nora", "tills")
		require.Equal(t, []string{"8", "7"}, []string{b.arrivals()[0].Subject, b.arrivals()[1].Subject}, "the last to come first")

		_, err = b.comes("8", "nora.b", "tills")
		require.NoError(t, err)
		require.Len(t, b.arrivals(), 1, "who got an account of their own waits for none")
		b.pass(30 * 24 * time.Hour)
		require.Empty(t, b.arrivals(), "forgotten")
		require.Equal(t, "sso.arrival-changed", codeOf(b.Link(t.Context(), setup, other.ID, first.ID, staff.Cashier, "late")))
		require.NoError(t, b.Sweep(t.Context()))
		require.Zero(t, b.rows())
	})
}

func (b *outsideBench) rows() (n int64) {
	b.t.Helper()
	require.NoError(b.t, b.db.Read(b.t.Context()).Table("refused_arrivals").Count(&n).Error)
	return n
}

func TestRefusedArrivalsDoNotFillTheDatabase(t *testing.T) {
	t.Parallel()
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		nora := b.hire("nora", staff.Cashier)
		for i := range 120 {
			require.NoError(t, b.db.Exec(t.Context(), `INSERT INTO refused_arrivals (id, vouched_by, subject, user_id, name, email, role, attempts, last_at)
VALUES (?, ?, ?, ?, '', '', 'cashier', 1, ?)`, fmt.Sprint(i), b.provider.URL, fmt.Sprint("s", i), nora.ID, noon.Add(-time.Duration(i)*time.Minute)))
		}
		_ = b.refused("7", "nora", "desk")
		require.EqualValues(t, 100, b.rows())
		require.Equal(t, "s98", b.arrivals()[99].Subject, "the oldest went")
	})
}

func TestLinkingAnAccountTakesTwoPeople(t *testing.T) {
	t.Parallel()
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		root, second, nora := b.hire("root", staff.Admin), b.hire("second", staff.Admin), b.hire("nora", staff.Cashier)
		before := b.now(nora.ID)
		b.signIn("hers", nora, "")
		waits := b.refused("7", "nora", "desk")
		link := func(by audit.Actor) error {
			return b.Link(t.Context(), by, nora.ID, waits.ID, staff.Auditor, "asked her")
		}

		stale := signedIn(b.bench, root)
		b.pass(11 * time.Minute)
		require.ErrorContains(t, link(stale), "Sign in again first")
		require.NoError(t, link(signedIn(b.bench, root)))
		require.Equal(t, before, b.now(nora.ID), "nothing was changed yet")
		_, err := b.comes("7", "nora", "desk")
		require.Equal(t, "sso.name-taken", codeOf(err))
		proposed, err := b.Proposals(t.Context())
		require.NoError(t, err)
		require.Equal(t, []any{audit.UserLinked, "7", staff.Auditor}, []any{proposed[0].Act, proposed[0].Subject(), proposed[0].Role()})
		require.Contains(t, b.lastAct().After, "7 ("+b.provider.URL+")")
		require.ErrorContains(t, b.Decide(t.Context(), signedIn(b.bench, root), nora.ID, true), "You proposed it yourself")
		require.NoError(t, b.Decide(t.Context(), signedIn(b.bench, second), nora.ID, true))

		now := b.now(nora.ID)
		require.Equal(t, []any{true, staff.Auditor, "", false}, []any{now.Vouched(), now.Role, now.ShopID, now.HasPassword()})
		_, live := b.present("hers")
		require.False(t, live, "her session is over")
		require.Empty(t, b.arrivals())
		act := b.lastAct()
		require.Equal(t, []any{audit.UserLinked, second.ID, "asked her"}, []any{act.Act, act.UserID, act.Reason})
		facts, err := act.Facts()
		require.NoError(t, err)
		require.Equal(t, "7 ("+b.provider.URL+")", facts.After("vouched"))
		require.Equal(t, root.ID, facts.After("proposedby"))
		require.ErrorContains(t, b.independent(root.ID, nora.ID), "Somebody else with the same rights must sign")

		_, err = b.login("nora", password, "192.0.2.9")
		require.Equal(t, "login.wrong", codeOf(err), "she has no password here")
		_, err = b.login("nora", "", "192.0.2.9")
		require.Equal(t, "login.wrong", codeOf(err))
		require.ErrorContains(t, b.SetPassword(t.Context(), setup, nora.ID, password, 0, "x"), "no password here")
		in, err := b.comes("7", "renamed", "desk")
		require.NoError(t, err)
		require.Equal(t, nora.ID, in.User.ID)
		require.Equal(t, "sso.name-taken", codeOf(errOf(b.comes("8", "nora", "desk"))), "who has her name elsewhere is another")
	})
}

func errOf[T any](_ T, err error) error { return err }

// Linking gives a person the role of their groups, and that only if whoever links has read it; from then on it follows
// them. It gives them nothing of the account's role.
func TestTheRoleOfALinkedAccountIsThatOfTheGroups(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		account staff.Role
		group   string
		becomes staff.Role
	}{
		"as it was": {staff.Cashier, "tills", staff.Cashier},
		"raised":    {staff.Cashier, "owners", staff.Admin},
		"lowered":   {staff.Finance, "tills", staff.Cashier},
		"an admin":  {staff.Admin, "owners", staff.Admin},
		"no admin":  {staff.Admin, "tills", staff.Cashier},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachOutside(t, func(t *testing.T, b *outsideBench) {
				root, second, u := b.hire("root", staff.Admin), b.hire("second", staff.Admin), b.hire("nora", c.account)
				a := b.refused("7", "nora", c.group)
				for _, role := range staff.Roles() {
					if role != c.becomes {
						require.Equal(t, "sso.arrival-changed", codeOf(b.Link(t.Context(), signedIn(b.bench, root), u.ID, a.ID, role, "x")))
					}
				}
				linked := b.linked(root, second, u, a)
				require.Equal(t, c.becomes, linked.Role)
				other := b.ChangePost(t.Context(), setup, u.ID, staff.Post{Role: staff.Auditor}, "x")
				require.Equal(t, "sso.role", codeOf(other), "nobody changes it here")
				in, err := b.comes("7", "nora", c.group)
				require.NoError(t, err)
				require.Equal(t, linked, in.User, "and it stays")
				keeps := c.account == staff.Admin && c.becomes == staff.Admin
				require.Equal(t, keeps, in.User.HasPassword())
				_, err = b.login("nora", password, "192.0.2.9")
				require.Equal(t, keeps, err == nil)
				in, err = b.comes("7", "nora", "desk")
				require.NoError(t, err)
				require.Equal(t, staff.Auditor, in.User.Role, "their groups decide at each sign-in")
				_, err = b.login("nora", password, "192.0.2.9")
				require.Equal(t, "login.wrong", codeOf(err), "and only an admin's password works")
				require.NoError(t, errOf(b.login("root", password, "192.0.2.9")), "nobody else's is gone")
			})
		})
	}
}

// Between the two people, and between reading and pressing, nothing may have changed.
func TestOnlyWhatWasReadIsLinked(t *testing.T) {
	t.Parallel()
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		root, second, nora := b.hire("root", staff.Admin), b.hire("second", staff.Admin), b.hire("nora", staff.Cashier)
		a := b.refused("7", "nora", "tills")
		by := signedIn(b.bench, root)
		link := func(userID, arrivalID string) string {
			return codeOf(b.Link(t.Context(), by, userID, arrivalID, staff.Cashier, "x"))
		}
		require.Equal(t, "sso.arrival-changed", link(second.ID, a.ID), "who came as somebody else")
		require.Equal(t, "sso.arrival-changed", link(nora.ID, "nobody"))
		require.Equal(t, "user.none", link("nobody", a.ID))
		own := b.refused("9", "root", "owners")
		require.Equal(t, "sso.link-own", codeOf(b.Link(t.Context(), by, root.ID, own.ID, staff.Admin, "mine")))

		// Their groups change while it waits.
		require.NoError(t, b.Link(t.Context(), by, nora.ID, a.ID, staff.Cashier, "x"))
		_ = b.refused("7", "nora", "owners")
		require.Equal(t, "sso.arrival-changed", codeOf(b.Decide(t.Context(), signedIn(b.bench, second), nora.ID, true)))
		require.False(t, b.now(nora.ID).Vouched())
		require.NoError(t, b.Decide(t.Context(), by, nora.ID, false))
		require.Len(t, b.arrivals(), 2, "they wait on")

		// They come as somebody else while it waits.
		liam := b.hire("liam", staff.Cashier)
		_ = b.refused("7", "nora", "tills")
		require.NoError(t, b.Link(t.Context(), by, nora.ID, a.ID, staff.Cashier, "x"))
		_ = b.refused("7", "liam", "tills")
		require.Equal(t, "sso.arrival-changed", codeOf(b.Decide(t.Context(), signedIn(b.bench, second), nora.ID, true)))
		require.NoError(t, b.Decide(t.Context(), by, nora.ID, false))

		// It is dismissed while it waits.
		a, other := b.refused("7", "nora", "tills"), b.refused("8", "nora", "tills")
		require.NoError(t, b.Link(t.Context(), by, nora.ID, a.ID, staff.Cashier, "x"))
		require.Equal(t, "sso.arrival-changed", codeOf(b.Dismiss(t.Context(), by, second.ID, a.ID)), "of another account")
		require.NoError(t, b.Dismiss(t.Context(), by, nora.ID, a.ID))
		require.Equal(t, audit.UserArrivalDismissed, b.lastAct().Act)
		require.Contains(t, b.lastAct().After, "7 ("+b.provider.URL+")")
		require.Equal(t, "sso.arrival-changed", codeOf(b.Dismiss(t.Context(), by, nora.ID, a.ID)), "once")
		require.Equal(t, "sso.arrival-changed", codeOf(b.Decide(t.Context(), signedIn(b.bench, second), nora.ID, true)))
		require.NoError(t, b.Decide(t.Context(), by, nora.ID, false))

		// Whoever is linked is that for no other account, and an account is of one person.
		_ = b.linked(root, second, nora, b.refused("7", "nora", "tills"))
		require.Equal(t, "sso.linked", link(nora.ID, other.ID), "who waits on")
		stranger := b.refused("6", "liam", "tills")
		require.NoError(t, b.db.Exec(t.Context(), "UPDATE refused_arrivals SET vouched_by = 'https://was.example' WHERE id = ?", stranger.ID))
		require.Equal(t, "sso.arrival-changed", link(liam.ID, stranger.ID), "of a provider that is another's by now")
		require.NoError(t, b.db.Exec(t.Context(), "UPDATE refused_arrivals SET subject = '7', user_id = ? WHERE id = ?", liam.ID, other.ID))
		require.NoError(t, b.Link(t.Context(), by, liam.ID, other.ID, staff.Cashier, "x"))
		require.Equal(t, "sso.linked-elsewhere", codeOf(b.Decide(t.Context(), signedIn(b.bench, second), liam.ID, true)))
	})
}

func TestTheShopOfALinkedAccount(t *testing.T) {
	t.Parallel()
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		quay, _, err := b.CreateShop(t.Context(), setup, staff.NewShop{Name: "Quay", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		root, second := b.hire("root", staff.Admin), b.hire("second", staff.Admin)
		nora, liam, mary := b.hire("nora", staff.Cashier), b.hire("liam", staff.Finance), b.hire("mary", staff.Finance)
		require.Equal(t, b.shop.ID, b.linked(root, second, nora, b.refused("1", "nora", "tills")).ShopID, "its own")
		require.Equal(t, quay.ID, b.linked(root, second, mary, b.refused("2", "mary", "tills", "shop", "Quay")).ShopID, "the provider's")
		a := b.refused("3", "liam", "tills")
		require.Equal(t, "sso.link-shop", codeOf(b.Link(t.Context(), signedIn(b.bench, root), liam.ID, a.ID, a.Role, "x")))
	})
}

// The last admin can neither be linked away nor be lowered by the provider.
func TestLinkingLeavesAnAdmin(t *testing.T) {
	t.Parallel()
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		root := b.hire("root", staff.Admin)
		a := b.refused("7", "root", "tills")
		require.Equal(t, "user.last-admin", codeOf(b.Link(t.Context(), setup, root.ID, a.ID, staff.Cashier, "x")))
		a = b.refused("7", "root", "owners")
		require.NoError(t, b.Link(t.Context(), setup, root.ID, a.ID, staff.Admin, "x"), "a command needs no second person")
		_, err := b.comes("7", "root", "tills")
		require.Equal(t, "user.last-admin", codeOf(err))
		_, err = b.login("root", password, "192.0.2.9")
		require.NoError(t, err)
	})
}

// A linked admin's password is for when the provider is away, and its use is on record; coming from the provider is not.
func TestALinkedAdminsPasswordBreaksTheGlass(t *testing.T) {
	t.Parallel()
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		root, second, nora := b.hire("root", staff.Admin), b.hire("second", staff.Admin), b.hire("nora", staff.Admin)
		glass := func() int {
			t.Helper()
			all, err := b.audit.List(t.Context(), audit.Filter{Act: audit.UserBreakGlass})
			require.NoError(t, err)
			return len(all)
		}
		nora = b.linked(root, second, nora, b.refused("7", "nora", "owners"))
		_, err := b.comes("7", "nora", "owners")
		require.NoError(t, err)
		b.hire("mary", staff.Cashier)
		require.NoError(t, errOf(b.login("mary", password, "192.0.2.9")))
		require.Zero(t, glass())
		require.NoError(t, errOf(b.login("nora", password, "192.0.2.9")))
		require.Equal(t, 1, glass())

		// The same with a second step of her own, after either.
		nora, app, _ := b.enrol(nora)
		for i, byProvider := range []bool{true, false} {
			b.pass(time.Minute)
			token, err := b.AwaitSecond(t.Context(), nora, byProvider)
			require.NoError(t, err)
			_, err = b.FinishLogin(t.Context(), token, app.code(), staff.Attempt{Address: "192.0.2.9"})
			require.NoError(t, err)
			require.Equal(t, 1+i, glass())
		}
	})
}

func TestUnlinkingAnAccount(t *testing.T) {
	t.Parallel()
	const chosen = "another zebra battery"
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		root, second, nora := b.hire("root", staff.Admin), b.hire("second", staff.Admin), b.hire("nora", staff.Cashier)
		by := signedIn(b.bench, root)
		unlink := func(u staff.User, password string) error {
			return b.Unlink(t.Context(), by, u.ID, password, "left the organisation")
		}
		require.Equal(t, "sso.not-linked", codeOf(unlink(nora, "")))
		require.Equal(t, "sso.not-linked", codeOf(unlink(nora, chosen)))
		require.Equal(t, "sso.link-own", codeOf(unlink(root, chosen)))
		nora = b.linked(root, second, nora, b.refused("7", "nora", "tills"))
		require.Equal(t, "sso.needs-password", codeOf(unlink(nora, "")))
		require.Equal(t, "password.too-short", codeOf(unlink(nora, "short")))
		b.signIn("hers", nora, "")
		require.NoError(t, unlink(nora, chosen))
		require.True(t, b.now(nora.ID).Vouched(), "a second person must agree")
		require.NotContains(t, b.lastAct().After, "argon2id")
		require.NoError(t, b.Decide(t.Context(), signedIn(b.bench, second), nora.ID, true))
		require.Equal(t, audit.UserUnlinked, b.lastAct().Act)
		require.Contains(t, b.lastAct().After, `"before":"7 (`+b.provider.URL+`)"`)
		_, live := b.present("hers")
		require.False(t, live)
		in, err := b.login("nora", chosen, "192.0.2.9")
		require.NoError(t, err)
		require.True(t, in.MustChangePassword(), "which somebody else chose")
		_, err = b.login("nora", chosen, "192.0.2.9")
		require.Equal(t, "login.wrong", codeOf(err))
		require.Equal(t, nora.ID, b.refused("7", "nora", "tills").UserID, "whoever it was waits again")

		// An admin's password stays, and who was made by the provider needs one.
		boss := b.linked(root, second, b.hire("boss", staff.Admin), b.refused("8", "boss", "owners"))
		require.NoError(t, unlink(boss, ""))
		require.NoError(t, b.Decide(t.Context(), signedIn(b.bench, second), boss.ID, true))
		_, err = b.login("boss", password, "192.0.2.9")
		require.NoError(t, err)
		boss = b.linked(root, second, boss, b.refused("8", "boss", "owners"))
		require.NoError(t, unlink(boss, ""))
		_, err = b.comes("8", "boss", "desk")
		require.NoError(t, err)
		require.Equal(t, "sso.needs-password", codeOf(b.Decide(t.Context(), signedIn(b.bench, second), boss.ID, true)), "it has gone with the role")
		require.True(t, b.now(boss.ID).Vouched())

		made, err := b.comes("9", "mary", "owners")
		require.NoError(t, err)
		require.Equal(t, "sso.needs-password", codeOf(unlink(made.User, "")))
		require.Equal(t, "login.wrong", codeOf(errOf(b.login("mary", "", "192.0.2.9"))))
	})
}

// A password that somebody else chose does not outlast a link: whoever comes from the provider could not change it.
func TestALinkEndsAPasswordThatSomebodyElseChose(t *testing.T) {
	t.Parallel()
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		root, second, nora := b.hire("root", staff.Admin), b.hire("second", staff.Admin), b.hire("nora", staff.Admin)
		require.NoError(t, b.SetPassword(t.Context(), signedIn(b.bench, root), nora.ID, "another zebra battery", 0, "x"))
		require.NoError(t, b.Decide(t.Context(), signedIn(b.bench, second), nora.ID, true))
		a := b.refused("7", "nora", "owners")
		require.False(t, a.LeavesPassword(b.now(nora.ID)))
		linked := b.linked(root, second, nora, a)
		require.Equal(t, []bool{false, false}, []bool{linked.HasPassword(), linked.MustChangePassword()})
		require.Nil(t, linked.PasswordUntil)
	})
}

func TestWithoutAProviderNobodyIsLinked(t *testing.T) {
	t.Parallel()
	eachOutside(t, func(t *testing.T, b *outsideBench) {
		root, second, nora := b.hire("root", staff.Admin), b.hire("second", staff.Admin), b.hire("nora", staff.Cashier)
		a := b.refused("7", "nora", "tills")
		liam := b.linked(root, second, b.hire("liam", staff.Cashier), b.refused("8", "liam", "tills"))
		b.deps.Outside = nil
		b.Service = staff.New(b.deps)
		require.Empty(t, b.arrivals())
		require.Equal(t, "sso.arrival-changed", codeOf(b.Link(t.Context(), setup, nora.ID, a.ID, a.Role, "x")))
		require.NoError(t, b.Unlink(t.Context(), setup, liam.ID, password, "no provider any more"))
		require.NoError(t, errOf(b.login("liam", password, "192.0.2.9")))
		require.NoError(t, errOf(b.login("root", password, "192.0.2.9")))
		require.NotEqual(t, audit.UserBreakGlass, b.lastAct().Act, "it is how they sign in")
	})
}
