package staff

import (
	"context"
	"fmt"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// Proposal is a change of an account that waits for a second person. If one admin could make, enable, promote or reset
// somebody whose rights take two people, that admin could act as both.
type Proposal struct {
	UserID     string    // whose account
	Act        audit.Act `gorm:"column:action"` // once it is made
	Reason     string
	Set        columns `gorm:"column:new_values;serializer:json"`
	ProposedBy string
	ProposedAt time.Time
}

// TableName is read by GORM.
func (Proposal) TableName() string { return "account_changes" }

// Name tells a proposal from another of the same account.
func (p Proposal) Name() string { return p.ProposedAt.UTC().Format(time.RFC3339Nano) }

// Role is the role that is proposed, "" if it is not about one.
func (p Proposal) Role() Role {
	role, _ := p.Set["role"].(string)
	return Role(role)
}

// Subject is what the identity provider calls the person whom the account is to be linked with, "" if it is not about
// one.
func (p Proposal) Subject() string {
	subject, _ := p.Set["subject"].(string)
	return subject
}

// takesTwo says whether a change of somebody else's account needs a second person: the account then has rights that do,
// its second factor is removed, or it is linked or unlinked. A command needs none: whoever has the machine could write
// to the database as well.
func takesTwo(by audit.Actor, u User, set columns) bool {
	_, forAnother := set["set_by"]
	_, second := set["second_at"]
	_, linked := set["subject"]
	return by.UserID != "" && forAnother && (roleWith(u, set).signs() || second || linked)
}

// roleWith is the role that a user has with new values.
func roleWith(u User, set columns) Role {
	if role, given := set["role"].(Role); given {
		return role
	}
	return u.Role
}

func (s *Service) propose(ctx context.Context, tx *store.Tx, u User, e audit.Entry, set columns) error {
	now := s.now()
	if err := checkFresh(e.Actor, now); err != nil {
		return err
	}
	p := Proposal{UserID: u.ID, Act: e.Act, Reason: e.Reason, Set: set, ProposedBy: e.UserID, ProposedAt: now}
	switch waits, err := store.First[Proposal](tx.Where("user_id = ?", u.ID)); { // who else proposes waits for the user
	case err != nil:
		return err
	case waits != nil && p.saysAgain(*waits): // only a password may be another
		return tx.Model(waits).Where("user_id = ?", u.ID).Select("Set").Updates(p).Error
	case waits != nil:
		return fault.New(fault.Conflict, "staff.waiting")
	}
	if err := tx.Create(&p).Error; err != nil {
		return err
	}
	provider, _ := set["vouched_by"].(string)
	return s.d.Audit.Write(ctx, tx, audit.Entry{
		Actor: e.Actor, Act: audit.UserChangeProposed, Subject: audit.Of(audit.User, u.ID), Reason: e.Reason,
		Facts: audit.Facts{
			audit.Word("act", e.Act), audit.Word("role", roleWith(u, set)),
			audit.Text("vouched", vouched(provider, p.Subject())),
		},
	})
}

// saysAgain says whether a form that proposes a change made the one that waits: its answer was lost.
func (p Proposal) saysAgain(waits Proposal) bool {
	same := func(column string) bool { return fmt.Sprint(p.Set[column]) == fmt.Sprint(waits.Set[column]) }
	return p.Act == waits.Act && p.Reason == waits.Reason && p.ProposedBy == waits.ProposedBy &&
		same("role") && same("shop_id") && same("subject")
}

var errNothingWaits = fault.New(fault.NotFound, "staff.nothing-waits")

// Proposals returns what waits for a second person, the oldest first.
func (s *Service) Proposals(ctx context.Context) ([]Proposal, error) {
	waiting, err := store.All[Proposal](s.d.DB.Read(ctx).Order("proposed_at, user_id"))
	return waiting, fault.Doing("list account changes", err)
}

// Decide makes the change that an account waits for, if the actor may be the second person (Countersign), or drops it,
// which anybody may. proposed is the Name of the one that they read: another may stand in its place by now.
func (s *Service) Decide(ctx context.Context, by audit.Actor, userID, proposed string, agree bool) error {
	return fault.Doing("decide account change", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := lockUsers(tx, userID); err != nil {
			return err
		}
		p, err := store.One[Proposal](tx.Where("user_id = ?", userID), errNothingWaits)
		if err != nil {
			return err
		}
		if p.Name() != proposed {
			return errNothingWaits
		}
		if err := tx.Exec("DELETE FROM account_changes WHERE user_id = ?", userID).Error; err != nil {
			return err
		}
		if !agree {
			return s.note(ctx, tx, by, audit.UserChangeDeclined, userID,
				audit.Word("act", p.Act), audit.Person("proposedby", p.ProposedBy))
		}
		if err := Countersign(tx, p.ProposedBy, by, s.now()); err != nil {
			return err
		}
		before, err := store.One[User](tx.Where("id = ?", userID), errNoUser)
		if err != nil {
			return err
		}
		p.Set["set_at"] = s.now()
		once, chosen := p.Set["password_once"].(string)
		if !chosen {
			once = string(before.PasswordOnce)
		}
		if oneTime(once) == fresh {
			p.Set["password_until"] = s.until(fresh) // it counts from now on
		}
		return s.apply(ctx, tx, before, audit.Entry{Actor: by, Act: p.Act, Reason: p.Reason}, p.Set, p.ProposedBy)
	}))
}
