package staff

import (
	"cmp"
	"slices"
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
	errGone      = fault.New(fault.Forbidden, "staff.first-disabled")
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
// other lately, nor both by a third. Whoever is disabled since is no first person: somebody else may have had their
// account.
func Independent(tx *store.Tx, first, second string, now time.Time) error {
	disabled, err := store.First[User](tx.Where("id = ? AND disabled_at IS NOT NULL", first))
	if err != nil {
		return fault.Doing("ask for the first signer", err)
	}
	if disabled != nil {
		return errGone
	}
	since := store.Moment(now.Add(-independentAfter))
	ofFirst, err := makersOf(tx, first, since)
	if err != nil {
		return err
	}
	ofSecond, err := makersOf(tx, second, since)
	if err != nil {
		return err
	}
	both := func(maker string) bool { return slices.Contains(ofSecond, maker) }
	if slices.Contains(ofFirst, second) || both(first) || slices.ContainsFunc(ofFirst, both) {
		return errDependent
	}
	return nil
}

// makersOf returns who made an account, enabled it, or chose its role or password since a time. The account names only
// the last of them; the audit names all.
func makersOf(tx *store.Tx, userID string, since time.Time) ([]string, error) {
	makers, err := store.All[string](tx.Raw(
		"SELECT set_by FROM users WHERE id = ? AND set_by <> '' AND set_at > ?", userID, since))
	if err != nil {
		return nil, fault.Doing("ask who made a signer", err)
	}
	acts, err := store.All[audit.Record](tx.Where("subject = ? AND at > ? AND action IN ?",
		audit.Of(audit.User, userID), since, []audit.Act{
			audit.UserCreated, audit.UserEnabled, audit.UserRoleChanged, audit.UserPasswordSet, audit.UserSecondReset,
			audit.UserLinked, audit.UserUnlinked,
		}))
	if err != nil {
		return nil, fault.Doing("read who made a signer", err)
	}
	for _, act := range acts {
		facts, err := act.Facts()
		if err != nil {
			return nil, err
		}
		maker := cmp.Or(facts.After("proposedby"), act.UserID)
		if maker != "" && maker != userID { // a command, or their own act
			makers = append(makers, maker)
		}
	}
	return makers, nil
}
