package staff_test

import (
	"fmt"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/staff/stafftest"
)

func TestLogin(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		want := b.hire("aoife", staff.Cashier)
		got, err := b.login(" AOIFE ", password, "192.0.2.1")
		require.NoError(t, err)
		require.Equal(t, want.ID, got.ID)
		require.Equal(t, want.Epoch, got.Epoch)

		var words []string
		for _, c := range [][2]string{{"aoife", password + "x"}, {"aoife", ""}, {"nobody", password}, {"", password}, {"a\x00b\xff", "\xff"}} {
			_, err := b.login(c[0], c[1], "192.0.2.1")
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			words = append(words, fault.Message(err))
		}
		for _, w := range words {
			require.Equal(t, words[0], w)
		}
		require.NotContains(t, b.log.String(), password)
		require.NotContains(t, b.log.String(), "nobody")
		require.Contains(t, b.log.String(), "msg=login.refused user="+want.ID+" address=192.0.2.1", "whose account is tried is worth knowing")
	})
}

// A stranger tries a thousand times; the owner, elsewhere, is not kept out.
func TestThousandTriesFromOneAddress(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.hire("victim", staff.Manager)
		looked, refused := 0, 0
		for i := range 1000 {
			_, err := b.login("victim", "guess number "+strconv.Itoa(i)+" of many", "203.0.113.9")
			var wait *staff.TooManyTries
			switch {
			case fault.KindOf(err) == fault.Invalid:
				looked++
			default:
				require.ErrorAs(t, err, &wait)
				require.Positive(t, wait.RetryAfter())
				refused++
			}
			b.pass(time.Second)
		}
		require.Equal(t, 1000, looked+refused)
		require.LessOrEqual(t, looked, 15, "a thousand seconds let through a handful of guesses")
		_, err := b.login("victim", password, "198.51.100.7")
		require.NoError(t, err)
	})
}

// TestAClockThatWasAheadLocksNobodyOut: it was set right, and the wait it had begun is over.
func TestAClockThatWasAheadLocksNobodyOut(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.hire("aoife", staff.Cashier)
		b.pass(3 * time.Hour)
		for range 10 {
			_, err := b.login("aoife", "not this one", "192.0.2.1")
			require.Error(t, err)
		}
		b.pass(-3 * time.Hour)
		_, err := b.login("aoife", password, "192.0.2.1")
		require.NoError(t, err)
	})
}

func TestWaitGrowsToAQuarterOfAnHourAndUnknownUsersWaitAsLong(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.hire("aoife", staff.Cashier)
		waits := func(username, address string) (all []time.Duration) {
			for range 20 {
				_, err := b.login(username, "not the password", address)
				var wait *staff.TooManyTries
				if fault.KindOf(err) == fault.Invalid {
					all = append(all, 0)
					continue
				}
				require.ErrorAs(t, err, &wait)
				all = append(all, wait.Wait)
				b.pass(wait.Wait)
			}
			return all
		}
		known := waits("aoife", "192.0.2.1")
		require.Equal(t, make([]time.Duration, 5), known[:5], "the first tries are free")
		require.Equal(t, []time.Duration{time.Second, 0, 2 * time.Second, 0, 4 * time.Second}, known[5:10])
		require.Equal(t, known, waits("nobody", "192.0.2.2"))
		for range 12 {
			_ = waits("aoife", "192.0.2.1")
		}
		longest := time.Duration(0)
		for _, w := range waits("aoife", "192.0.2.1") {
			longest = max(longest, w)
		}
		require.Equal(t, 15*time.Minute, longest)
		b.pass(25 * time.Hour)
		_, err := b.login("aoife", "not the password", "192.0.2.1")
		require.Equal(t, fault.Invalid, fault.KindOf(err), "a day forgets it")
	})
}

func TestSuccessClearsTheAccountButNotTheAddress(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.hire("aoife", staff.Cashier)
		for range 3 {
			for range 4 {
				_, err := b.login("aoife", "not the password", "192.0.2.1")
				require.Equal(t, fault.Invalid, fault.KindOf(err))
			}
			_, err := b.login("aoife", password, "192.0.2.1")
			require.NoError(t, err)
		}
		// Someone with an account of their own goes through those of others.
		refused := 0
		for i := range 60 {
			_, err := b.login(fmt.Sprintf("user%d", i), "not the password", "192.0.2.1")
			if wait := (&staff.TooManyTries{}); fault.KindOf(err) == fault.Unavailable {
				require.ErrorAs(t, err, &wait)
				refused++
			}
		}
		require.Equal(t, 60-(50-12), refused)
	})
}

func TestManyAtTheSameMomentDoNotSlipThrough(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		device, err := b.RememberDevice(t.Context(), "", b.hire("aoife", staff.Cashier).ID, "")
		require.NoError(t, err)
		for name, device := range map[string]string{"unknown browser": "", "known browser": device} {
			var looked atomic.Int64
			var group errgroup.Group
			for range 40 {
				group.Go(func() error {
					_, err := b.Login(t.Context(), staff.Attempt{Username: "aoife", Password: "not the password", Address: "192.0.2.1", Device: device})
					if fault.KindOf(err) == fault.Invalid {
						looked.Add(1)
					}
					return nil
				})
			}
			require.NoError(t, group.Wait())
			require.EqualValues(t, 5, looked.Load(), name)
		}
	})
}

// Guessing from ever new addresses leaves each of them one try, and the owner
// gets in from a new address too.
func TestAttackFromManyAddresses(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		b.hire("victim", staff.Manager)
		looked := 0
		for i := range 400 {
			_, err := b.login("victim", "not the password", fmt.Sprintf("203.0.113.%d", i/4))
			if fault.KindOf(err) == fault.Invalid {
				looked++
			}
		}
		require.Equal(t, 100+75, looked, "four each for 25 addresses, one each for the other 75")
		_, err := b.login("victim", password, "198.51.100.7")
		require.NoError(t, err)
	})
}

func TestNeighboursShareACount(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		for i := range 5 {
			_, err := b.login("x", "not the password", fmt.Sprintf("2001:db8:1:2::%d", i+1))
			require.Equal(t, fault.Invalid, fault.KindOf(err))
		}
		_, err := b.login("x", "not the password", "2001:db8:1:2:ffff::1")
		require.Equal(t, fault.Unavailable, fault.KindOf(err), "one /64 is one subscriber")
		_, err = b.login("x", "not the password", "2001:db8:1:3::1")
		require.Equal(t, fault.Invalid, fault.KindOf(err))
	})
}

// A browser that has been signed in from stands apart from strangers behind the
// same address, and has a count of its own.
func TestKnownDeviceStandsInItsOwnLine(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		u := b.hire("aoife", staff.Cashier)
		device, err := b.RememberDevice(t.Context(), "", u.ID, "")
		require.NoError(t, err)
		for range 100 {
			_, _ = b.login("aoife", "not the password", "192.0.2.1")
		}
		attempt := staff.Attempt{Username: "aoife", Password: "not the password", Address: "192.0.2.1", Device: device}
		for range 5 {
			_, err = b.Login(t.Context(), attempt)
			require.Equal(t, fault.Invalid, fault.KindOf(err))
		}
		attempt.Password = password
		_, err = b.Login(t.Context(), attempt)
		require.Equal(t, fault.Unavailable, fault.KindOf(err))
		b.pass(time.Second)
		_, err = b.Login(t.Context(), attempt)
		require.NoError(t, err)

		attempt.Username = "ben"
		_, err = b.Login(t.Context(), attempt)
		require.Equal(t, fault.Invalid, fault.KindOf(err), "another user's line is another")
		for range 4 {
			_, _ = b.Login(t.Context(), attempt)
		}
		_, err = b.login("ben", password, "192.0.2.1")
		require.Equal(t, fault.Unavailable, fault.KindOf(err), "and that of strangers: only its owner is known here")
	})
}

func TestHashIsRenewedWhenItsCostIsNotTodays(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		u := b.hire("aoife", staff.Cashier)
		hash := func() (h string) {
			require.NoError(t, b.db.Read(t.Context()).Raw("SELECT password_hash FROM users WHERE id = ?", u.ID).Scan(&h).Error)
			return h
		}
		dearer := *stafftest.Hashing()
		dearer.Iterations = 2
		log := audit.New(audit.Deps{DB: b.db, Now: b.clock})
		today := staff.New(staff.Deps{DB: b.db, Now: b.clock, Audit: log, Log: discard, Hashing: &dearer})
		for range 2 {
			_, err := today.Login(t.Context(), staff.Attempt{Username: "aoife", Password: password, Address: "192.0.2.1"})
			require.NoError(t, err)
			require.Contains(t, hash(), "t=2,")
		}
		renewed := hash()
		_, err := today.Login(t.Context(), staff.Attempt{Username: "aoife", Password: password, Address: "192.0.2.1"})
		require.NoError(t, err)
		require.Equal(t, renewed, hash())
	})
}

// At the real cost the hash dwarfs everything else, so a look-up of a user who
// does not exist would be seen to take no time if it skipped the hash.
func TestUnknownUsersTakeAsLong(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t))
	log := audit.New(audit.Deps{DB: b.db, Now: b.clock, Log: discard})
	real := staff.New(staff.Deps{DB: b.db, Now: b.clock, Audit: log, Log: discard})
	_, err := real.CreateUser(t.Context(), setup, staff.NewUser{Username: "known", Role: staff.Admin, Password: password})
	require.NoError(t, err)
	fastest := map[string]time.Duration{"known": time.Hour, "unknown": time.Hour}
	similar := func() bool {
		return fastest["unknown"] > fastest["known"]/2 && fastest["known"] > fastest["unknown"]/2
	}
	for i := 0; i < 3 || i < 30 && !similar(); i++ { // the fastest of many tries is what a busy machine cannot spoil
		for username := range fastest {
			started := time.Now()
			_, err := real.Login(t.Context(), staff.Attempt{Username: username, Password: "not the password", Address: strconv.Itoa(i)})
			fastest[username] = min(fastest[username], time.Since(started))
			require.Equal(t, fault.Invalid, fault.KindOf(err))
		}
	}
	require.True(t, similar(), fastest)
}
