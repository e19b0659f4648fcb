package staff_test

import (
	"context"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
	"airtill/internal/store"
)

// TestTwoShopsGetOneNameAtOnce: of two admins who rename at the same moment, one reads that the name is taken.
func TestTwoShopsGetOneNameAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		other, _, err := b.CreateShop(t.Context(), setup, staff.NewShop{Name: "Quay", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		const rounds = 20
		for i := range rounds {
			name := "Harbour " + string(rune('A'+i))
			answers := make(chan error)
			for _, id := range []string{b.shop.ID, other.ID} {
				go func() { answers <- b.ChangeShop(t.Context(), setup, id, staff.ShopFacts{Name: name}) }()
			}
			first, second := <-answers, <-answers
			if first == nil {
				first, second = second, first
			}
			require.NoError(t, second)
			require.Equal(t, fault.Conflict, fault.KindOf(first), "%v", first)
			require.Equal(t, "shop.taken", codeOf(first))
		}
	})
}

// during is another process, in which something happens once when a function asks for the time.
func (b *bench) during(function string, happens func()) *staff.Service {
	deps, done := b.deps, false
	deps.Now = func() time.Time {
		if !done && strings.Contains(string(debug.Stack()), "."+function+"(") {
			done = true
			happens()
		}
		return b.clock()
	}
	b.t.Cleanup(func() { require.True(b.t, done) })
	return staff.New(deps)
}

// A hash of the old password that is renewed at its last sign-in does not take the place of the new one.
func TestAPasswordThatIsResetDuringASignInIsTheNewOne(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		const chosen = "another zebra battery"
		nora, dearer := b.hire("nora", staff.Cashier), *stafftest.Hashing()
		dearer.Iterations++
		b.deps.Hashing = &dearer
		today := b.during("inTurn", func() {
			require.NoError(t, b.SetPassword(t.Context(), setup, nora.ID, chosen, 0, "found out"))
		})
		_, err := today.Login(t.Context(), staff.Attempt{Username: "nora", Password: password, Address: "192.0.2.1"})
		require.NoError(t, err)
		_, err = b.login("nora", password, "192.0.2.1")
		require.Equal(t, "login.wrong", codeOf(err))
		_, err = b.login("nora", chosen, "192.0.2.1")
		require.NoError(t, err)
	})
}

// meets commits a write of another process once something else waits for it, and returns how that ended.
func (b *bench) meets(write func(*store.Tx) error, something func() error) error {
	b.t.Helper()
	answer := make(chan error, 1)
	require.NoError(b.t, b.db.Tx(b.t.Context(), func(tx *store.Tx) error {
		err := write(tx)
		go func() { answer <- something() }()
		if b.db.Dialect() == store.Postgres { // elsewhere one writes at a time
			require.Eventually(b.t, func() bool {
				var waiting int
				require.NoError(b.t, b.db.Tx(b.t.Context(), func(look *store.Tx) error {
					storetest.AsOwner(b.t, look)
					return look.Raw("SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND " +
						"wait_event_type = 'Lock'").Scan(&waiting).Error
				}))
				return waiting > 0
			}, 10*time.Second, 10*time.Millisecond, "it waits for the row")
		}
		return err
	}))
	return <-answer
}

// TestAPINOfWhoWasResetMeanwhileIsNotSet: whoever knew the old password chose it, and it would outlast the reset.
func TestAPINOfWhoWasResetMeanwhileIsNotSet(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		aoife := b.hire("aoife", staff.Cashier)
		proved := b.during("hash", func() {
			require.NoError(t, b.SetPassword(t.Context(), setup, aoife.ID, "another zebra battery", 0, "stolen"))
		})
		err := proved.SetPIN(t.Context(), actorOf(b, aoife, 0), password, goodPIN, "192.0.2.1")
		require.ErrorIs(t, err, staff.ErrPassword)
		has, err := b.HasPIN(t.Context(), aoife.ID)
		require.NoError(t, err)
		require.False(t, has)
	})
}

// TestAPasskeyIsNotRemovedOnceTheSessionsHaveEnded: the session that goes on after it would be one of those just ended.
func TestAPasskeyIsNotRemovedOnceTheSessionsHaveEnded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		nora, _, _ := b.keyed(b.hire("nora", staff.Finance))
		all, err := b.Second(t.Context(), nora)
		require.NoError(t, err)
		require.NoError(t, b.EndSessions(t.Context(), setup, nora.ID, "stolen"))
		_, err = b.RemovePasskey(t.Context(), proved(b, nora), nora.Epoch, all.Passkeys[0].ID)
		require.ErrorIs(t, err, staff.ErrPassword)
		all, err = b.Second(t.Context(), nora)
		require.NoError(t, err)
		require.Len(t, all.Passkeys, 1)
	})
}

// TestAPINUnlocksNothingOnceTheSessionsHaveEnded: the password that it stands for was changed, or the account reset,
// while the PIN was looked at.
func TestAPINUnlocksNothingOnceTheSessionsHaveEnded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, aoife, _, nora := b.team()
		deps, meanwhile := b.deps, func() {}
		deps.Now = func() time.Time {
			if strings.Contains(string(debug.Stack()), ".inTurn(") { // the hash is being made
				do := meanwhile
				meanwhile = func() {}
				do()
			}
			return b.clock()
		}
		slow := staff.New(deps)
		_, err := slow.Unlock(t.Context(), device, aoife.ID, goodPIN)
		require.NoError(t, err)
		for name, act := range map[string]func(userID string) error{
			"signed out": func(id string) error { return b.EndSessions(t.Context(), setup, id, "stolen") },
			"reset": func(id string) error {
				return b.SetPassword(t.Context(), setup, id, "another zebra battery", 0, "stolen")
			},
			"disabled": func(id string) error { return b.Disable(t.Context(), setup, id, "left") },
		} {
			done := false
			now, err := b.User(t.Context(), aoife.ID)
			require.NoError(t, err)
			b.atTill(device, now)
			meanwhile = func() { done = true; require.NoError(t, act(aoife.ID)) }
			_, err = slow.Unlock(t.Context(), device, aoife.ID, goodPIN)
			require.True(t, done)
			require.ErrorIs(t, err, staff.ErrPassword, name)
			if name == "disabled" {
				require.NoError(t, b.Enable(t.Context(), setup, aoife.ID, "is back"))
			}
		}
		meanwhile = func() { require.NoError(t, b.EndSessions(t.Context(), setup, nora.ID, "stolen")) }
		_, err = slow.Vouch(b.within(nora), b.shop.ID, nora.ID, "905172", staff.Attempt{Device: device, Address: "192.0.2.1"})
		require.ErrorIs(t, err, staff.ErrPassword, "nor does it allow anything")
	})
}

// within is the context of a user's request that begins now: memories may answer in it.
func (b *bench) within(u staff.User) context.Context {
	b.t.Helper()
	b.signIn("a request", u, "")
	p, live := b.present("a request")
	require.True(b.t, live)
	return store.WithEpochs(b.t.Context(), p.Epochs)
}

// TestAPasswordAllowsNothingOnceItsRoleIsGone: nor in another shop, nor alone beside a second factor.
func TestAPasswordAllowsNothingOnceItsRoleIsGone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		other, _, err := b.CreateShop(t.Context(), setup, staff.NewShop{Name: "Quay", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 1})
		require.NoError(t, err)
		post := func(u staff.User, role staff.Role, shopID string) {
			require.NoError(t, b.ChangePost(t.Context(), setup, u.ID, staff.Post{Role: role, ShopID: shopID}, "moved"))
		}
		for name, act := range map[string]func(u staff.User){
			"moved":    func(u staff.User) { post(u, staff.Manager, other.ID) },
			"demoted":  func(u staff.User) { post(u, staff.Cashier, b.shop.ID) },
			"enrolled": func(u staff.User) { b.keyed(u) },
		} {
			for _, moment := range []string{"Login", "inTurn"} { // before the account is read, and after
				nora := b.hire(name+moment, staff.Manager)
				slow := b.during(moment, func() { act(nora) })
				_, err := slow.Vouch(b.within(nora), b.shop.ID, nora.ID, password, staff.Attempt{Address: "192.0.2.1"})
				require.ErrorIs(t, err, staff.ErrPassword, name+moment)
			}
		}
	})
}

// TestAPersonIsRenamed: the new name is on record, nobody is signed out by it, and of two who rename at once the second
// is told what the first has saved.
func TestAPersonIsRenamed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		aoife := b.hire("aoife", staff.Cashier)
		shown := func() staff.User {
			u, err := b.User(t.Context(), aoife.ID)
			require.NoError(t, err)
			return u
		}
		rename := func(name, was string) error {
			return b.Rename(t.Context(), setup, aoife.ID, name, was, "married")
		}
		was := aoife.DisplayName
		require.NoError(t, rename(" Aoife Ní Bhriain ", was))
		require.Equal(t, "Aoife Ní Bhriain", shown().DisplayName)
		require.Equal(t, aoife.Epoch, shown().Epoch, "her sessions go on")
		require.NoError(t, rename("Aoife Ní Bhriain", was), "a second click")
		err := rename("Aoife Byrne", was)
		require.Equal(t, fault.Conflict, fault.KindOf(err))
		require.Equal(t, "field.meanwhile", codeOf(err))
		require.Equal(t, "text.too-long", codeOf(rename(strings.Repeat("x", 201), "Aoife Ní Bhriain")))
		require.NoError(t, rename("", "Aoife Ní Bhriain"))
		require.Equal(t, "aoife", shown().DisplayName, "as for a new account without a name")
		require.Equal(t, fault.NotFound, fault.KindOf(b.Rename(t.Context(), setup, "nobody", "x", "", "married")))
		var records int64
		require.NoError(t, b.db.Read(t.Context()).Raw(
			"SELECT COUNT(*) FROM audit_entries WHERE action = 'user.renamed' AND reason = 'married'",
		).Scan(&records).Error)
		require.Equal(t, int64(2), records)
	})
}
