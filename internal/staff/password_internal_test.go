package staff

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff/stafftest"
)

func TestPasswordRules(t *testing.T) {
	t.Parallel()
	for password, ok := range map[string]bool{
		"correct zebra battery":                   true,
		"fünfzehnZeichen":                         true,
		"мой сложный пароль":                      true,
		strings.Repeat("many unusual words ", 13): true,
		"48151623427061905":                       true, // digits alone are allowed
		"my office has 3 zebras":                  true,
		"":                                        false,
		"14 characters!":                          false,
		"éééééééé":                                false, // sixteen bytes are eight characters
		strings.Repeat("x7 ", 90):                 false, // too long, and one piece over and over
		strings.Repeat("many unusual words ", 14): false, // too long
		"passwordpassword":                        false,
		"Password1234567890":                      false,
		"P a s s w o r d  1 2 3 4 5 6":            false,
		"ｐａｓｓｗｏｒｄｐａｓｓｗｏｒｄ":                        false,
		"aaaaaaaaaaaaaaa":                         false,
		"abcabcabcabcabcabc":                      false,
		"123456789012345":                         false,
		"098765432109876":                         false,
		"qwertyuiopasdfgh":                        false,
		"poiuytrewqpoiuytrewq":                    false,
		"zyxwvutsrqponmlkj":                       false,
		"iloveyouiloveyou1":                       false,
		"zqxvzqxvzqxvzqxv":                        false, // a short piece that nobody leaked
		"garfield-bigdaddy 1":                     false, // two that were
		"marysmith-marysmith":                     false, // the username, twice
		"marysmith20261121":                       false,
		"Welcome-Summer-2026":                     false,
		"................":                        false, // nothing but signs
		"correcthorsebatterystaple":               false,
		"fifteen or more \xff":                    false,
	} {
		err := checkPassword(password, User{Username: "mary.smith"})
		if ok {
			require.NoError(t, err, password)
		} else {
			require.Equal(t, fault.Invalid, fault.KindOf(err), password)
			require.NotContains(t, err.Error(), "marysmith", "a refusal does not repeat the password")
		}
	}
}

func TestCommonListIsReadable(t *testing.T) {
	t.Parallel()
	words := commonWords()
	require.Greater(t, len(words), 300)
	for _, word := range words {
		require.Equal(t, compactOf(word), word, "the list is compared as it is")
	}
}

func TestCostIsAtLeastWhatOWASPAsks(t *testing.T) {
	t.Parallel()
	cost := passwordCost()
	require.GreaterOrEqual(t, cost.Memory, uint32(19*1024))
	require.GreaterOrEqual(t, cost.Iterations, uint32(2))
}

// Who does not exist is refused after the same work as a wrong password of somebody who does.
func TestTheDecoyCostsWhatAHashCosts(t *testing.T) {
	t.Parallel()
	h := newHasher(stafftest.Hashing(), hashesAtOnce, time.Now)
	real, err := h.hash(t.Context(), "correct zebra battery")
	require.NoError(t, err)
	wanted, salt, key, err := argon2id.DecodeHash(real)
	require.NoError(t, err)
	cost, decoySalt, decoyKey, err := argon2id.DecodeHash(h.decoy)
	require.NoError(t, err)
	require.Equal(t, wanted, cost)
	require.Len(t, decoySalt, len(salt))
	require.Len(t, decoyKey, len(key))
	require.NotEqual(t, h.decoy, newHasher(stafftest.Hashing(), hashesAtOnce, time.Now).decoy)
	match, stale, err := h.verify(t.Context(), "", h.decoy)
	require.NoError(t, err)
	require.False(t, match)
	require.False(t, stale)
}

func TestHashesWaitTheirTurnAndGiveUp(t *testing.T) {
	t.Parallel()
	h := newHasher(nil, hashesAtOnce, time.Now)
	require.Equal(t, hashesAtOnce, cap(h.slots))
	for range hashesAtOnce {
		h.slots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := h.hash(ctx, "any")
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	<-h.slots
	hash, err := h.hash(t.Context(), "café")
	require.NoError(t, err)
	match, stale, err := h.verify(t.Context(), "cafe\u0301", hash)
	require.NoError(t, err)
	require.True(t, match, "one letter in two Unicode forms is one letter")
	require.False(t, stale)
}

// A flood of strangers fills their own queue, and nobody else's.
func TestStrangersKeepNobodyWaiting(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	now := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	log := slog.New(slog.DiscardHandler)
	s := New(Deps{DB: db, Now: now, Audit: audit.New(audit.Deps{DB: db, Now: now, Log: log}), Log: log, Hashing: stafftest.Hashing()})
	u, err := s.CreateUser(t.Context(), audit.Command("test"), NewUser{Username: "owner", Role: Admin, Password: "correct zebra battery"})
	require.NoError(t, err)
	device, err := s.RememberDevice(t.Context(), "", u.ID, "")
	require.NoError(t, err)

	for range strangersAtOnce {
		s.strangers.slots <- struct{}{}
	}
	a := Attempt{Username: "owner", Password: "correct zebra battery", Address: "192.0.2.1"}
	waiting, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := s.Login(waiting, a)
		ended <- err
	}()
	known := a
	known.Device = device
	_, err = s.Login(t.Context(), known)
	require.NoError(t, err)
	by := audit.Actor{UserID: u.ID, Name: u.Username}
	require.NoError(t, s.SetPIN(t.Context(), by, a.Password, "4826", a.Address), "whoever sets a PIN is signed in")
	cancel()
	require.Error(t, <-ended, "the strangers' queue is full")
}

// However many strangers guess, they have a tenth of a core. Time is synctest's: nothing waits.
func TestWrongGuessesOfStrangersRest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rests int
		right bool
		taken int
	}{
		"a stranger's wrong guess": {rests: guessRests, taken: 1},
		"a stranger who is right":  {rests: guessRests, right: true},
		"somebody known":           {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := &hasher{slots: make(chan struct{}, 1), rests: c.rests, now: time.Now}
				require.NoError(t, h.inTurn(t.Context(), func() (bool, error) {
					time.Sleep(time.Second)
					return c.right, nil
				}))
				synctest.Wait()
				require.Len(t, h.slots, c.taken, "who guessed is answered")
				time.Sleep(guessRests*time.Second - 1)
				synctest.Wait()
				require.Len(t, h.slots, c.taken)
				time.Sleep(time.Nanosecond)
				synctest.Wait()
				require.Empty(t, h.slots)
			})
		})
	}
}

func FuzzFoldUsername(f *testing.F) {
	for _, seed := range []string{"", " A ", "ǅ", "ﬃ", "İ", "a\u0301", "\xff", "Ω℡"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		once := foldUsername(typed)
		if name, err := normaliseUsername(typed); err == nil {
			require.Equal(t, once, name)
			require.Equal(t, name, foldUsername(name), "a stored username folds to itself, or nobody could sign in")
		}
	})
}

func TestPasswordsOfLeaks(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(listedOnes()), 3000)
	for _, password := range []string{
		"dragonmaster1234", "Dragon-Master 1234", "2024 hellokitty 2024", "mustangsuperman", "supermanbatman99",
	} {
		require.True(t, guessable(password, "aoife"), password)
	}
	for _, password := range []string{
		"correct zebra battery", "seven lamps over a quiet harbour", "dragon kettle master 7 umbrella",
	} {
		require.False(t, guessable(password, "aoife"), password)
	}
}

// Two people who choose at once are each measured by their own name.
func TestTheNameOfOneIsNotTriedForAnother(t *testing.T) {
	t.Parallel()
	one, two := triedFirst("aoife"), triedFirst("brian")
	require.Contains(t, one, "aoife")
	require.NotContains(t, one, "brian")
	require.Contains(t, two, "brian")
}
