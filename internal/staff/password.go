package staff

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"airtill/internal/fault"
)

const (
	shortestPassword = 15 // characters, for a password that stands alone
	shortestBeside   = 8  // for one beside a second factor
	longestPassword  = 256
	hashesAtOnce     = 2 // of people we know; each takes the memory below
	strangersAtOnce  = 1 // for browsers that nobody has signed in from
	hashQueue        = 10 * time.Second
	guessRests       = 9 // times as long as the hash of a stranger's wrong guess took
)

// passwordCost is what one guess costs: 19 MiB and three passes, one more than OWASP's minimum. Go returns a hash's
// memory to the system late, so a higher cost would show in the size of the process.
func passwordCost() *argon2id.Params {
	return &argon2id.Params{Memory: 19 * 1024, Iterations: 3, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}

// checkPassword holds a new password of a user's to the rules: long enough, and not among
// the first that anyone would guess. It may be made of any characters.
func checkPassword(password string, u User) error {
	least := shortestPassword
	if u.HasSecond() {
		least = shortestBeside
	}
	switch n := characters(password); {
	case !utf8.ValidString(password):
		return fault.OnField("password", "password.bytes")
	case n < least:
		return fault.OnField("password", "password.too-short", least)
	case n > longestPassword:
		return fault.OnField("password", "password.too-long", longestPassword)
	case guessable(password, u.Username):
		return fault.OnField("password", "password.common")
	}
	return nil
}

func characters(password string) int { return utf8.RuneCountInString(norm.NFKC.String(password)) }

// short says whether a password is too short to stand alone.
func short(password string) bool { return characters(password) < shortestPassword }

// mayStandAlone fails unless a user's password is long enough to need no second factor.
func mayStandAlone(u User) error {
	if u.PasswordShort {
		return fault.New(fault.Conflict, "password.short-alone", shortestPassword)
	}
	return nil
}

// hasher turns passwords into hashes, a few at a time.
type hasher struct {
	cost  *argon2id.Params
	slots chan struct{}
	rests int    // after each wrong guess, for so many times as long as its hash took
	decoy string // a hash that no password has, for users that do not exist
	now   func() time.Time
}

func newHasher(cost *argon2id.Params, atOnce int, now func() time.Time) *hasher {
	if cost == nil {
		cost = passwordCost()
	}
	return &hasher{cost: cost, slots: make(chan struct{}, atOnce), decoy: decoyOf(*cost), now: now}
}

// decoyOf makes a hash without the work of one: its key is random. To compare a password with it takes as long as
// with any other of that cost.
func decoyOf(cost argon2id.Params) string {
	random := make([]byte, cost.SaltLength+cost.KeyLength)
	_, _ = rand.Read(random) // never fails: the program would end
	text := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf(
		"$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, cost.Memory, cost.Iterations, cost.Parallelism,
		text(random[:cost.SaltLength]), text(random[cost.SaltLength:]),
	)
}

func (h *hasher) hash(ctx context.Context, password string) (hash string, err error) {
	err = h.inTurn(ctx, func() (bool, error) {
		hash, err = argon2id.CreateHash(norm.NFKC.String(password), h.cost)
		return true, err
	})
	return hash, err
}

// verify says whether a password matches a hash, and whether the hash should be renewed because today's cost differs.
func (h *hasher) verify(ctx context.Context, password, hash string) (match, stale bool, err error) {
	err = h.inTurn(ctx, func() (bool, error) {
		var cost *argon2id.Params
		match, cost, err = argon2id.CheckHash(norm.NFKC.String(password), hash)
		stale = err == nil && *cost != *h.cost
		return match, err
	})
	return match, stale, err
}

// inTurn keeps many logins at once from taking all memory and both cores. work says whether the password was right.
func (h *hasher) inTurn(ctx context.Context, work func() (right bool, err error)) error {
	ctx, cancel := context.WithTimeout(ctx, hashQueue)
	defer cancel()
	select {
	case h.slots <- struct{}{}:
		began, right := h.now(), false
		defer func() { h.free(right, h.now().Sub(began)) }()
		var err error
		right, err = work()
		return err
	case <-ctx.Done():
		return fault.Wrap(ctx.Err(), fault.Unavailable, "login.busy")
	}
}

// free gives a slot back, after a wrong guess once it has rested: however many guess, nine tenths of a core are left
// for selling. Who guessed has had the answer by then.
func (h *hasher) free(right bool, took time.Duration) {
	if h.rests > 0 && !right {
		time.AfterFunc(time.Duration(h.rests)*took, func() { <-h.slots })
	} else {
		<-h.slots
	}
}
