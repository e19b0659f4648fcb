package staff_test

import (
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/internal/store"
)

func TestCreatedUserComesBackAndIsOnRecord(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		admin := b.hire("boss", staff.Admin)
		by := staff.Presence{User: admin}.Actor()
		made, err := b.CreateUser(t.Context(), by, staff.NewUser{Username: "  Aoife.ÓN ", DisplayName: " Aoife ", Role: staff.Cashier, ShopID: b.shop.ID, Locale: "ga-ie", Password: password})
		require.NoError(t, err)
		require.Equal(t, "aoife.ón", made.Username)

		got, err := b.User(t.Context(), made.ID)
		require.NoError(t, err)
		require.Equal(t, "Aoife", got.DisplayName)
		require.Equal(t, "ga-IE", got.Locale)
		require.Equal(t, b.shop.ID, got.ShopID)
		require.False(t, got.Disabled())

		act := b.lastAct()
		require.Equal(t, audit.UserCreated, act.Act)
		require.Equal(t, audit.Of(audit.User, made.ID), act.Subject)
		require.Equal(t, admin.ID, act.UserID)
		facts, err := act.Facts()
		require.NoError(t, err)
		require.Contains(t, facts, audit.Word("role", staff.Cashier))
		require.NotContains(t, act.After, "argon2")

		users, err := b.Users(t.Context())
		require.NoError(t, err)
		require.Len(t, users, 2)
		require.Empty(t, users[1].ShopID)
	})
}

// A form whose answer was lost says that it made the user if it has the password that they have, too.
func TestAFormThatMadeAUserIsNotUsedForAnotherPassword(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		by := staff.Presence{User: b.hire("boss", staff.Admin)}.Actor()
		form := staff.NewUser{ID: store.NewID(b.clock()), Username: "aoife", Role: staff.Cashier, ShopID: b.shop.ID, Password: password}
		sends := func() string {
			_, err := b.CreateUser(t.Context(), by, form)
			return fault.CodeOf(err)
		}
		require.Empty(t, sends())
		require.Empty(t, sends())
		form.Password = "another zebra battery"
		require.Equal(t, "page.used", sends())
		_, err := b.login("aoife", password, "192.0.2.1")
		require.NoError(t, err)
	})
}

func TestNewUserIsRefusedWithTheFieldThatIsWrong(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.hire("taken", staff.Admin)
		for name, c := range map[string]struct {
			change func(*staff.NewUser)
			kind   fault.Kind
			field  string
		}{
			"no username":           {func(n *staff.NewUser) { n.Username = " \t" }, fault.Invalid, "username"},
			"spaces inside":         {func(n *staff.NewUser) { n.Username = "a b" }, fault.Invalid, "username"},
			"sign in front":         {func(n *staff.NewUser) { n.Username = "-rf" }, fault.Invalid, "username"},
			"invisible character":   {func(n *staff.NewUser) { n.Username = "a\u200bb" }, fault.Invalid, "username"},
			"bad bytes":             {func(n *staff.NewUser) { n.Username = "a\xff" }, fault.Invalid, "username"},
			"too long":              {func(n *staff.NewUser) { n.Username = strings.Repeat("a", 65) }, fault.Invalid, "username"},
			"taken":                 {func(n *staff.NewUser) { n.Username = "TAKEN" }, fault.Conflict, ""},
			"taken in another form": {func(n *staff.NewUser) { n.Username = "ｔａｋｅｎ" }, fault.Conflict, ""},
			"unknown role":          {func(n *staff.NewUser) { n.Role = "owner" }, fault.Invalid, "role"},
			"cashier without shop":  {func(n *staff.NewUser) { n.ShopID = "" }, fault.Invalid, "shop"},
			"admin with shop":       {func(n *staff.NewUser) { n.Role = staff.Admin }, fault.Invalid, "shop"},
			"unknown shop":          {func(n *staff.NewUser) { n.ShopID = "nowhere" }, fault.Invalid, "shop"},
			"unknown language":      {func(n *staff.NewUser) { n.Locale = "not a language" }, fault.Invalid, "locale"},
			"line break in name":    {func(n *staff.NewUser) { n.DisplayName = "a\nb" }, fault.Invalid, "display_name"},
			"short password":        {func(n *staff.NewUser) { n.Password = "14 characters!" }, fault.Invalid, "password"},
		} {
			n := staff.NewUser{Username: "new", Role: staff.Cashier, ShopID: b.shop.ID, Password: password}
			c.change(&n)
			_, err := b.CreateUser(t.Context(), setup, n)
			require.Equal(t, c.kind, fault.KindOf(err), "%s: %v", name, err)
			var f *fault.Error
			require.ErrorAs(t, err, &f)
			require.Equal(t, c.field, f.Field, name)
			require.NotEmpty(t, f.Message, name)
		}
		users, err := b.Users(t.Context())
		require.NoError(t, err)
		require.Len(t, users, 1)
	})
}

func TestShopsAndTills(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		made, tills, err := b.CreateShop(t.Context(), setup, staff.NewShop{Name: " Second ", Zone: "Africa/Nairobi", Country: "ke", Currency: "kes", Address: "1 Road, Town", TaxID: "P05", Tills: 3})
		require.NoError(t, err)
		require.Equal(t, audit.ShopCreated, b.lastAct().Act)
		got, err := b.Shop(t.Context(), made.ID)
		require.NoError(t, err)
		require.Equal(t, made, got)
		require.Equal(t, "KE", got.Country)
		require.EqualValues(t, "KES", got.Currency)
		require.Equal(t, "Africa/Nairobi", got.Location().String())

		listed, err := b.Tills(t.Context(), got.ID)
		require.NoError(t, err)
		require.Equal(t, tills, listed)
		require.Equal(t, "Till 3", listed[2].Name)
		till, err := b.Till(t.Context(), listed[1].ID)
		require.NoError(t, err)
		require.Equal(t, 2, till.Number)

		shops, err := b.Shops(t.Context())
		require.NoError(t, err)
		require.Len(t, shops, 2)
		_, err = b.Shop(t.Context(), "nowhere")
		require.Equal(t, fault.NotFound, fault.KindOf(err))
	})
}

func TestNewShopIsRefusedWithTheFieldThatIsWrong(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		for name, c := range map[string]struct {
			change func(*staff.NewShop)
			field  string
		}{
			"no name":          {func(n *staff.NewShop) { n.Name = " " }, "name"},
			"no zone":          {func(n *staff.NewShop) { n.Zone = "" }, "zone"},
			"local zone":       {func(n *staff.NewShop) { n.Zone = "Local" }, "zone"},
			"unknown zone":     {func(n *staff.NewShop) { n.Zone = "Europe/Dubln" }, "zone"},
			"zone with a path": {func(n *staff.NewShop) { n.Zone = "../etc/passwd" }, "zone"},
			"unknown country":  {func(n *staff.NewShop) { n.Country = "XX" }, "country"},
			"reserved code":    {func(n *staff.NewShop) { n.Country = "UK" }, "country"},
			"former country":   {func(n *staff.NewShop) { n.Country = "DD" }, "country"},
			"gone country":     {func(n *staff.NewShop) { n.Country = "YU" }, "country"},
			"currency area":    {func(n *staff.NewShop) { n.Country = "EZ" }, "country"},
			"continent":        {func(n *staff.NewShop) { n.Country = "150" }, "country"},
			"three letters":    {func(n *staff.NewShop) { n.Country = "IRL" }, "country"},
			"not a currency":   {func(n *staff.NewShop) { n.Currency = "euro" }, "currency"},
			"no money":         {func(n *staff.NewShop) { n.Currency = "XXX" }, "currency"},
			"gold":             {func(n *staff.NewShop) { n.Currency = "XAU" }, "currency"},
			"former currency":  {func(n *staff.NewShop) { n.Currency = "DEM" }, "currency"},
			"no place":         {func(n *staff.NewShop) { n.Zone = "Factory" }, "zone"},
			"leap seconds":     {func(n *staff.NewShop) { n.Zone = "right/Europe/Dublin" }, "zone"},
			"of this machine":  {func(n *staff.NewShop) { n.Zone = "localtime" }, "zone"},
			"no till":          {func(n *staff.NewShop) { n.Tills = 0 }, "tills"},
			"many tills":       {func(n *staff.NewShop) { n.Tills = 101 }, "tills"},
			"long address":     {func(n *staff.NewShop) { n.Address = strings.Repeat("x", 201) }, "address"},
		} {
			n := staff.NewShop{Name: "New", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1}
			c.change(&n)
			_, _, err := b.CreateShop(t.Context(), setup, n)
			var f *fault.Error
			require.ErrorAs(t, err, &f, name)
			require.Equal(t, c.field, f.Field, name)
		}
		_, _, err := b.CreateShop(t.Context(), setup, staff.NewShop{Name: "Main Street", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
		require.Equal(t, fault.Conflict, fault.KindOf(err))
	})
}

func TestChangesEndSessionsAndAreOnRecord(t *testing.T) {
	t.Parallel()
	for action, change := range map[audit.Act]func(*bench, audit.Actor, string) error{
		audit.UserDisabled: func(b *bench, by audit.Actor, id string) error { return b.Disable(b.t.Context(), by, id, "left") },
		audit.UserRoleChanged: func(b *bench, by audit.Actor, id string) error {
			return b.ChangePost(b.t.Context(), by, id, staff.Post{Role: staff.Manager, ShopID: b.shop.ID}, "promoted")
		},
		audit.UserPasswordSet: func(b *bench, by audit.Actor, id string) error {
			return b.SetPassword(b.t.Context(), by, id, "another zebra battery", 0, "forgotten")
		},
		audit.UserSignedOut: func(b *bench, by audit.Actor, id string) error {
			return b.EndSessions(b.t.Context(), by, id, "lost phone")
		},
	} {
		t.Run(string(action), func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, b *bench) {
				by := staff.Presence{User: b.hire("boss", staff.Admin)}.Actor()
				cashier, other := b.hire("aoife", staff.Cashier), b.hire("ben", staff.Cashier)
				b.signIn("one", cashier, "")
				b.signIn("two", cashier, "")
				b.signIn("other", other, "")
				require.NoError(t, change(b, by, cashier.ID))
				for token, want := range map[string]bool{"one": false, "two": false, "other": true} {
					_, live := b.present(token)
					require.Equal(t, want, live, token)
				}
				// A login that was under way with what the user was before.
				b.signIn("late", cashier, "")
				_, live := b.present("late")
				require.False(t, live)

				act := b.lastAct()
				require.Equal(t, action, act.Act)
				require.Equal(t, "boss", act.Actor)
				require.Equal(t, audit.Of(audit.User, cashier.ID), act.Subject)
				facts, err := act.Facts()
				require.NoError(t, err)
				role := slices.IndexFunc(facts, func(f audit.Fact) bool { return f.Name == "role" })
				require.Equal(t, "cashier", facts[role].Before)
				require.NotContains(t, act.After, "argon2")
			})
		})
	}
}

func TestEnableOpensTheAccountAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		by := staff.Presence{User: b.hire("boss", staff.Admin)}.Actor()
		u := b.hire("aoife", staff.Cashier)
		require.NoError(t, b.Disable(t.Context(), by, u.ID, "leave"))
		_, err := b.login("aoife", password, "192.0.2.1")
		require.Equal(t, fault.Invalid, fault.KindOf(err))
		closed, err := b.User(t.Context(), u.ID)
		require.NoError(t, err)
		require.False(t, closed.Can(staff.Sell))
		seq := b.lastAct().Seq
		require.NoError(t, b.Disable(t.Context(), by, u.ID, "again"))
		require.Equal(t, seq, b.lastAct().Seq, "nothing changed, nothing on record")
		require.NoError(t, b.Enable(t.Context(), by, u.ID, "back"))
		_, err = b.login("aoife", password, "192.0.2.1")
		require.NoError(t, err)
		require.Equal(t, audit.UserEnabled, b.lastAct().Act)
	})
}

func TestNobodyLocksTheOfficeFromInside(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		one := b.hire("one", staff.Admin)
		by := staff.Presence{User: one}.Actor()
		require.Equal(t, fault.Invalid, fault.KindOf(b.Disable(t.Context(), by, one.ID, "")))
		require.Equal(t, fault.Invalid, fault.KindOf(b.ChangePost(t.Context(), by, one.ID, staff.Post{Role: staff.Auditor}, "")))
		require.Equal(t, fault.Conflict, fault.KindOf(b.Disable(t.Context(), setup, one.ID, "")))

		two := b.hire("two", staff.Admin)
		for range 20 { // each disables the other at the same moment
			var group errgroup.Group
			var done atomic.Int64
			for by, victim := range map[string]string{one.ID: two.ID, two.ID: one.ID} {
				group.Go(func() error {
					if b.Disable(t.Context(), audit.Actor{UserID: by, Name: by}, victim, "") == nil {
						done.Add(1)
					}
					return nil
				})
			}
			require.NoError(t, group.Wait())
			require.EqualValues(t, 1, done.Load(), "one of them stays")
			require.NoError(t, b.Enable(t.Context(), setup, one.ID, ""))
			require.NoError(t, b.Enable(t.Context(), setup, two.ID, ""))
		}
	})
}

// TestNobodyIsGivenAPasswordByThemselves: whoever finds an admin's screen open does not know the one that ChangePassword
// asks for.
func TestNobodyIsGivenAPasswordByThemselves(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		one := b.hire("one", staff.Admin)
		require.Equal(t, "user.own-password", codeOf(b.SetPassword(t.Context(), proved(b, one), one.ID, "the thief's own battery", 0, "x")))
		_, err := b.login("one", password, "192.0.2.1")
		require.NoError(t, err)
	})
}

func TestWhichSessionsAreOver(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		u := b.hire("aoife", staff.Cashier)
		tokens, want := make([]string, 130), map[string]bool{}
		for i := range tokens {
			tokens[i] = "session " + strconv.Itoa(i)
			want[tokens[i]] = true
		}
		for _, i := range []int{0, 63, 64, 129} {
			b.signIn(tokens[i], u, "")
			want[tokens[i]] = false
		}
		b.signIn("not asked for", u, "")
		over, err := b.Over(t.Context(), append(tokens, tokens[0], tokens[1]))
		require.NoError(t, err)
		require.Equal(t, want, over)
		over, err = b.Over(t.Context(), nil)
		require.NoError(t, err)
		require.Empty(t, over)
		b.pass(staff.SessionIdle)
		over, err = b.Over(t.Context(), tokens[:1])
		require.NoError(t, err)
		require.Equal(t, map[string]bool{tokens[0]: true}, over)
	})
}

func TestSessionsRunOut(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		u := b.hire("aoife", staff.Cashier)
		b.signIn("idle", u, b.tills[1].ID)
		p, live := b.present("idle")
		require.True(t, live)
		require.Equal(t, "aoife", p.User.Username)
		require.Equal(t, b.shop, p.Shop)
		require.Equal(t, b.tills[1], p.Till)
		require.True(t, p.SignedInAt.Equal(noon))

		b.pass(staff.SessionIdle - time.Microsecond)
		p, live = b.present("idle")
		require.True(t, live)
		require.NoError(t, b.Touch(t.Context(), "idle", p))
		b.pass(staff.SessionIdle - time.Microsecond)
		_, live = b.present("idle")
		require.True(t, live, "a touched session lives on")
		b.pass(time.Microsecond)
		_, live = b.present("idle")
		require.False(t, live)

		b.signIn("long", u, "")
		for range int(staff.SessionAbsolute/(10*time.Minute)) - 1 {
			b.pass(10 * time.Minute)
			p, live = b.present("long")
			require.True(t, live)
			require.NoError(t, b.Touch(t.Context(), "long", p))
		}
		b.pass(10 * time.Minute)
		_, live = b.present("long")
		require.False(t, live, "eight hours end it however busy it is")

		require.NoError(t, b.Sweep(t.Context()))
		var left int64
		require.NoError(t, b.db.Read(t.Context()).Table("sessions").Count(&left).Error)
		require.Zero(t, left)
	})
}

func TestTouchWritesOnceAMinute(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.signIn("s", b.hire("aoife", staff.Cashier), "")
		for range 3 {
			b.pass(29 * time.Second)
			p, _ := b.present("s")
			require.NoError(t, b.Touch(t.Context(), "s", p))
		}
		p, _ := b.present("s")
		require.True(t, p.SeenAt.Equal(noon.Add(87*time.Second)), p.SeenAt)
		b.pass(time.Second)
		require.NoError(t, b.Touch(t.Context(), "s", p))
		again, _ := b.present("s")
		require.True(t, again.SeenAt.Equal(p.SeenAt))
	})
}

func TestEndedSessionIsOver(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.signIn("s", b.hire("aoife", staff.Cashier), "")
		require.NoError(t, b.EndSession(t.Context(), "s"))
		_, live := b.present("s")
		require.False(t, live)
		require.NoError(t, b.EndSession(t.Context(), "s"))
	})
}

// A till of a shop that the user has left is no longer theirs.
func TestTillOfAnotherShopIsNotPresent(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		_, tills, err := b.CreateShop(t.Context(), setup, staff.NewShop{Name: "Other", Zone: "UTC", Country: "FR", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		b.signIn("s", b.hire("aoife", staff.Cashier), tills[0].ID)
		p, live := b.present("s")
		require.True(t, live)
		require.Empty(t, p.Till.ID)
	})
}

func TestTokensAreKeptHashed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		u := b.hire("aoife", staff.Cashier)
		b.signIn("secret-token", u, "")
		device, err := b.RememberDevice(t.Context(), "", u.ID, "")
		require.NoError(t, err)
		var hashes []string
		require.NoError(t, b.db.Read(t.Context()).Raw("SELECT token_hash FROM sessions UNION ALL SELECT token_hash FROM devices").Scan(&hashes).Error)
		require.Len(t, hashes, 2)
		require.NotContains(t, hashes, "secret-token")
		require.NotContains(t, hashes, device)
	})
}

func TestDeviceRemembersItsTill(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		u := b.hire("aoife", staff.Cashier)
		device, err := b.RememberDevice(t.Context(), "made-up", u.ID, b.tills[1].ID)
		require.NoError(t, err)
		require.NotEqual(t, "made-up", device, "a token that is none of ours is replaced")
		require.Len(t, device, 43)

		same, err := b.RememberDevice(t.Context(), device, b.hire("ben", staff.Cashier).ID, "")
		require.NoError(t, err)
		require.Equal(t, device, same)
		till, known, err := b.DeviceTill(t.Context(), device, b.shop.ID)
		require.NoError(t, err)
		require.True(t, known)
		require.Equal(t, b.tills[1], till)
		for _, c := range [][2]string{{device, "another shop"}, {"made-up", b.shop.ID}, {"", b.shop.ID}} {
			_, known, err = b.DeviceTill(t.Context(), c[0], c[1])
			require.NoError(t, err)
			require.False(t, known)
		}
		b.pass(401 * 24 * time.Hour)
		require.NoError(t, b.Sweep(t.Context()))
		_, known, err = b.DeviceTill(t.Context(), device, b.shop.ID)
		require.NoError(t, err)
		require.False(t, known)
	})
}
