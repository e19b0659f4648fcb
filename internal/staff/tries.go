package staff

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"net/netip"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// Guessing is slowed down per account and address together, so that a stranger elsewhere cannot lock an account's owner
// out, and per address, so that one address cannot try many accounts. A browser in which the owner has signed in before
// is counted separately. While an account is attacked from many addresses, each of them has only one free try.
const (
	freeTries       = 5
	freeUnderAttack = 1
	attackFrom      = 100 // failures of an account, from everywhere
	freeOfAddress   = 50
	longestWait     = 15 * time.Minute
	triesForgotten  = 24 * time.Hour
	ipv6Neighbours  = 64 // bits: what one customer of a provider is given
)

// TooManyTries is returned by Login if the next try must wait. It does not tell whether the account exists.
type TooManyTries struct{ Wait time.Duration }

// Error returns the message for the person who waits.
func (e *TooManyTries) Error() string { return e.Unwrap().Error() }

// Unwrap returns the fault to show.
func (e *TooManyTries) Unwrap() error {
	return fault.New(fault.Unavailable, "login.tries", int(math.Ceil(e.Wait.Seconds())))
}

// RetryAfter returns how long to wait.
func (e *TooManyTries) RetryAfter() time.Duration { return e.Wait }

// line is what a try is counted under: each key has its own count.
type line struct{ account, own, address string }

// lineOf returns the keys under which a try is counted. On a known device only the device's own count matters.
func lineOf(account, address, device string, known bool) line {
	if known {
		return line{own: tryKey("device", device, account)}
	}
	return line{
		account: tryKey("account", account), own: tryKey("pair", account, Neighbourhood(address)),
		address: tryKey("address", Neighbourhood(address)),
	}
}

func tryKey(parts ...string) string {
	hash := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(hash, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// Neighbourhood joins the IPv6 addresses that one subscriber owns: a /64 is one.
func Neighbourhood(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	prefix, err := ip.Prefix(ipv6Neighbours)
	if err != nil {
		return address
	}
	return prefix.String()
}

// tries is one row of login_tries.
type tries struct {
	Failures int
	LastAt   time.Time
}

// wait is the time to the next try after the last one: none for the free tries, then doubled each time.
func (t tries) wait(free int, now time.Time) time.Duration {
	if t.Failures < free {
		return 0
	}
	delay := longestWait
	if doublings := t.Failures - free; doublings < 10 {
		delay = min(delay, time.Second<<doublings)
	}
	wait := max(0, t.LastAt.Add(delay).Sub(now))
	if wait > 2*longestWait { // the clock was ahead then, and was set right
		return 0
	}
	return wait
}

// admit counts a try as failed before looking at the password, so that many at the same moment cannot all pass; forgive
// uncounts it. A try that must wait is not counted.
func (s *Service) admit(ctx context.Context, l line) error {
	now := s.now()
	return s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		// Always in this order, so that two tries never wait for each other.
		account, err := takeTries(tx, l.account, now)
		if err != nil {
			return err
		}
		own, err := takeTries(tx, l.own, now)
		if err != nil {
			return err
		}
		address, err := takeTries(tx, l.address, now)
		if err != nil {
			return err
		}
		free := freeTries
		if account.Failures >= attackFrom {
			free = freeUnderAttack
		}
		if wait := max(own.wait(free, now), address.wait(freeOfAddress, now)); wait > 0 {
			return &TooManyTries{Wait: wait}
		}
		return nil
	})
}

// takeTries returns the count so far and adds one; "" is no key.
func takeTries(tx *store.Tx, key string, now time.Time) (t tries, err error) {
	if key == "" {
		return tries{}, nil
	}
	if err := tx.Exec(
		"INSERT INTO login_tries (key, failures, last_at) VALUES (?, 0, ?) ON CONFLICT (key) DO NOTHING", key, now,
	).Error; err != nil {
		return tries{}, err
	}
	if err := tx.Raw(
		"SELECT failures, last_at FROM login_tries WHERE key = ?"+tx.ForUpdate(), key,
	).Scan(&t).Error; err != nil {
		return tries{}, err
	}
	if now.Sub(t.LastAt) > triesForgotten {
		t.Failures = 0
	}
	return t, tx.Exec("UPDATE login_tries SET failures = ?, last_at = ? WHERE key = ?", t.Failures+1, now, key).Error
}

// forgive clears the account's failures, and uncounts this try for the address, whose other failures stay.
func forgive(tx *store.Tx, l line) error {
	if err := tx.Exec("DELETE FROM login_tries WHERE key IN (?, ?)", l.account, l.own).Error; err != nil {
		return err
	}
	return tx.Exec("UPDATE login_tries SET failures = failures - 1 WHERE key = ? AND failures > 0", l.address).Error
}
