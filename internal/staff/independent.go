package staff

import (
	"fmt"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// independentAfter is how long we assume that whoever made an account, or chose its role or password, may be the one
// who signs with it.
const independentAfter = 24 * time.Hour

// freshFor is how long after typing their password somebody may sign what takes two people; freshSecond is the same for
// people with a second factor.
const (
	freshFor    = 10 * time.Minute
	freshSecond = 5 * time.Minute
)

var (
	errDependent = fault.New(fault.Forbidden, "staff.not-independent")
	errSame      = fault.New(fault.Forbidden, "staff.proposed-yourself")
	errStale     = fault.New(fault.Forbidden, "staff.sign-in-again")
	errNoCode    = fault.New(fault.Forbidden, "staff.code-again")
)

// checkFresh fails unless somebody has just proved who they are.
func checkFresh(by audit.Actor, now time.Time) error {
	since := now.Sub(by.SignedInAt)
	switch {
	case by.SecondFactor && since >= freshSecond:
		return errNoCode
	case since >= freshFor:
		return errStale
	}
	return nil
}

// Countersign fails with fault.Forbidden unless somebody may sign, as the second person, what the first one did. They
// must be independent of the first and have just typed their password.
func Countersign(tx *store.Tx, first string, by audit.Actor, now time.Time) error {
	if by.UserID == "" || by.UserID == first {
		return errSame
	}
	if err := checkFresh(by, now); err != nil {
		return err
	}
	return Independent(tx, first, by.UserID, now)
}

// Independent fails with fault.Forbidden unless two users are two people as far as
// the four eyes go: neither was made, enabled, given a role or a password by the
// other lately, nor both by a third.
func Independent(tx *store.Tx, first, second string, now time.Time) error {
	makers, err := store.All[string](tx.Raw("SELECT set_by FROM users WHERE id IN (?, ?) AND set_by <> '' AND "+
		"set_at > ?",
		first, second, store.Moment(now.Add(-independentAfter))))
	if err != nil {
		return fmt.Errorf("ask who made the signers: %w", err)
	}
	for _, maker := range makers {
		if maker == first || maker == second {
			return errDependent
		}
	}
	if len(makers) == 2 && makers[0] == makers[1] {
		return errDependent
	}
	return nil
}
