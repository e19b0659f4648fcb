package staff

import (
	"fmt"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// independentAfter is how long whoever made an account, or chose its role or
// password, may still be the one who signs with it.
const independentAfter = 24 * time.Hour

var errDependent = fault.New(fault.Forbidden,
	"One of you two was added, or given a role or a password, by the other or by the same person within the last 24 hours. Somebody else must sign.")

// Independent fails with fault.Forbidden unless two users are two people as far as
// the four eyes go: neither was made, given a role or a password by the other
// lately, nor both by a third.
func Independent(tx *store.Tx, first, second string, now time.Time) error {
	var makers []string
	err := tx.Raw("SELECT set_by FROM users WHERE id IN (?, ?) AND set_by <> '' AND set_at > ?",
		first, second, store.Moment(now.Add(-independentAfter))).Scan(&makers).Error
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
