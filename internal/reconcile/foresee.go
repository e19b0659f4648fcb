package reconcile

import (
	"context"
	"fmt"
)

// Change is what a look would do to a difference.
type Change struct {
	Break // ID is "" for a new one

	Would Would
}

// Would is what a look would do to a difference.
type Would string

// What a look may do to a difference.
const (
	WouldOpen   Would = "open"
	WouldReopen Would = "reopen" // resolved on other evidence
	WouldRenew  Would = "renew"  // open already, with other evidence
	WouldEnd    Would = "end"    // both sides agree now
)

// foresee says what storeLook would have done.
func (s *Service) foresee(ctx context.Context, look *Look) error {
	session := s.d.DB.Read(ctx)
	for _, draft := range look.Drafts {
		known, err := knownBreak(session, draft.Kind, draft.Subject)
		if err != nil {
			return err
		}
		change := Change{Break: draft, Would: WouldOpen}
		if known != nil {
			if known.sameAs(draft) {
				continue
			}
			change.ID, change.Owner, change.FoundAt, change.Would = known.ID, known.Owner, known.FoundAt, WouldRenew
			if known.settled() {
				change.Would = WouldReopen
			}
		}
		if change.Would != WouldRenew {
			look.Fresh++
		}
		look.Changes = append(look.Changes, change)
	}
	gone, err := look.gone(session)
	if err != nil {
		return fmt.Errorf("find what is over: %w", err)
	}
	for _, b := range gone {
		look.Changes = append(look.Changes, Change{Break: b, Would: WouldEnd})
	}
	return nil
}
