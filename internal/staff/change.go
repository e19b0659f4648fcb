package staff

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// Every change below raises the user's epoch, which ends all of their sessions: the next request of each gets the
// login page. A change by which one admin could act as two people waits for a second person: see Proposal.

var errFormOver = fault.New(fault.Forbidden, "form.out-of-date")

// SetPassword gives somebody else a new password. Unless a command chose it, it opens one session only. fault.Invalid
// says which rule of checkPassword it breaks. shown is the Epoch of the user whom the form showed, 0 without one: sent
// again, it changes nothing, and fails unless the same password still waits for them.
func (s *Service) SetPassword(
	ctx context.Context, by audit.Actor, userID, password string, shown int64, reason string,
) error {
	if by.UserID == userID { // who must type the one before: see ChangePassword
		return fault.New(fault.Invalid, "user.own-password")
	}
	user, err := s.User(ctx, userID)
	if err != nil {
		return err
	}
	if user.Vouched() && !user.HasPassword() {
		return errNoPassword
	}
	if shown != 0 && shown != user.Epoch {
		if user.PasswordOnce != fresh {
			return errFormOver
		}
		return s.stillHas(ctx, user, password)
	}
	set, err := s.newPassword(ctx, by, user, password)
	if err != nil {
		return err
	}
	return s.changeWith(ctx, userID, audit.Entry{
		Actor: by, Act: audit.UserPasswordSet, Reason: reason,
	}, func(_ *store.Tx, u User) (columns, error) {
		if u.Epoch != user.Epoch { // while it was hashed
			return nil, errFormOver
		}
		return s.chosen(by, set), nil
	})
}

// newPassword checks a password that the actor chose for a user, and returns what it changes.
func (s *Service) newPassword(ctx context.Context, by audit.Actor, u User, password string) (columns, error) {
	if err := checkPassword(password, u); err != nil {
		return nil, err
	}
	hash, err := s.hasher.hash(ctx, password)
	if err != nil {
		return nil, fmt.Errorf("set password: %w", err)
	}
	once := chosenBy(by)
	return columns{
		"password_hash": hash, "password_short": short(password), "password_once": once,
		"password_until": s.until(once),
	}, nil
}

// Disable closes an account at once. Nobody may close their own, and one admin always remains.
func (s *Service) Disable(ctx context.Context, by audit.Actor, userID, reason string) error {
	if by.UserID == userID {
		return fault.New(fault.Invalid, "user.disable-self")
	}
	return s.change(ctx, userID, audit.Entry{Actor: by, Act: audit.UserDisabled, Reason: reason}, func(u User) columns {
		if u.Disabled() {
			return nil
		}
		return columns{"disabled_at": s.now()}
	})
}

// Enable reopens a disabled account, with its old password, which whoever enables it may know.
func (s *Service) Enable(ctx context.Context, by audit.Actor, userID, reason string) error {
	return s.change(ctx, userID, audit.Entry{Actor: by, Act: audit.UserEnabled, Reason: reason}, func(u User) columns {
		if !u.Disabled() {
			return nil
		}
		return s.chosen(by, columns{"disabled_at": nil})
	})
}

// Post is a role, and the shop if it is one in a shop.
type Post struct {
	Role   Role
	ShopID string
	Shown  *Post // to ChangePost: what the form held at first, as in ShopFacts
}

// over returns the post with what was not meant to change as it is now.
func (p Post) over(u User) (meant Post, err error) {
	if p.Shown == nil {
		return p, nil
	}
	role, err := meantFor("role", string(p.Role), string(p.Shown.Role), string(u.Role))
	if err != nil {
		return Post{}, err
	}
	shopID, err := meantFor("shop", p.ShopID, p.Shown.ShopID, u.ShopID)
	return Post{Role: Role(role), ShopID: shopID}, err
}

// ChangePost gives a user another role, with a shop or without. Nobody may change their own, and one admin always
// remains.
func (s *Service) ChangePost(ctx context.Context, by audit.Actor, userID string, to Post, reason string) error {
	if by.UserID == userID {
		return fault.New(fault.Invalid, "user.own-role")
	}
	if to.ShopID != "" {
		if _, err := s.Shop(ctx, to.ShopID); err != nil {
			return err
		}
	}
	return s.changeWith(ctx, userID, audit.Entry{
		Actor: by, Act: audit.UserRoleChanged, Reason: reason,
	}, func(_ *store.Tx, u User) (columns, error) {
		post, err := to.over(u)
		if err == nil {
			err = checkRole(post.Role, post.ShopID)
		}
		switch {
		case err != nil:
			return nil, err
		case u.Vouched() && u.Role != post.Role: // the provider's group decides the role
			return nil, errRoleOfSSO
		case u.Role == post.Role && u.ShopID == post.ShopID:
			return nil, nil
		}
		return s.chosen(by, columns{"role": post.Role, "shop_id": orNull(post.ShopID)}), nil
	})
}

// EndSessions signs a user out everywhere.
func (s *Service) EndSessions(ctx context.Context, by audit.Actor, userID, reason string) error {
	return s.change(
		ctx, userID, audit.Entry{Actor: by, Act: audit.UserSignedOut, Reason: reason},
		func(User) columns { return columns{} },
	)
}

// chosen notes who chose somebody else's role or password, or enabled the account: see Independent and takesTwo.
func (s *Service) chosen(by audit.Actor, set columns) columns {
	set["set_by"], set["set_at"] = by.UserID, s.now()
	return set
}

// columns are new values for a row.
type columns map[string]any

// change alters one user's row as decide says (nil: not at all), ends their sessions and writes the audit, in one
// transaction.
func (s *Service) change(ctx context.Context, userID string, e audit.Entry, decide func(User) columns) error {
	return s.changeWith(ctx, userID, e, func(_ *store.Tx, u User) (columns, error) { return decide(u), nil })
}

// changeWith is change with a decision that reads or writes more, or may refuse.
func (s *Service) changeWith(
	ctx context.Context, userID string, e audit.Entry, decide func(*store.Tx, User) (columns, error),
) error {
	return fault.Doing(string(e.Act), s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		before, err := lockUser(tx, userID)
		if err != nil {
			return err
		}
		switch set, err := decide(tx, before); {
		case err != nil || set == nil:
			return err
		case takesTwo(e.Actor, before, set):
			return s.propose(ctx, tx, before, e, set)
		default:
			return s.apply(ctx, tx, before, e, set, "")
		}
	}))
}

// apply gives a user new values. proposedBy is the first of two people; "": one person was enough.
func (s *Service) apply(
	ctx context.Context, tx *store.Tx, before User, e audit.Entry, set columns, proposedBy string,
) error {
	set["epoch"] = before.Epoch + 1
	if second, gone := set["second_at"]; gone && second == nil && before.PasswordShort {
		set["password_once"], set["password_until"] = fresh, s.until(fresh) // opens one session, to choose a longer one
	}
	if err := settle(tx, before.ID, set); err != nil {
		return err
	}
	err := tx.Model(&User{}).Where("id = ?", before.ID).Updates(map[string]any(set)).Error
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return errLinkedElsewhere
	} else if err != nil {
		return err
	}
	after, err := store.One[User](tx.Where("id = ?", before.ID), errNoUser)
	if err != nil {
		return err
	}
	if after.Vouched() && after.HasPassword() && after.Role != Admin { // only an admin's outlasts being linked
		if err := tx.Model(&User{}).Where("id = ?", after.ID).Updates(map[string]any(noPassword())).Error; err != nil {
			return err
		}
	}
	if before.Vouched() && !after.Vouched() && !after.HasPassword() { // it was to stay, and went with the role since
		return errNeedsPassword
	}
	if before.HasSecond() && !after.HasSecond() {
		if err := forgetSecond(tx, after.ID); err != nil {
			return err
		}
	}
	if err := s.requireAdmin(tx, before, after); err != nil {
		return err
	}
	e.Subject = audit.Of(audit.User, before.ID)
	e.Facts = slices.Concat(e.Facts, audit.Between(before.facts(), after.facts()),
		audit.Facts{audit.Person("proposedby", proposedBy)})
	return s.d.Audit.Write(ctx, tx, e)
}

// lockUsers locks the user and every admin, in one order, so that two admins
// cannot disable each other at the same moment.
func lockUsers(tx *store.Tx, userID string) error {
	var ids []string
	return tx.Raw(
		"SELECT id FROM users WHERE id = ? OR role = ? ORDER BY id"+tx.ForUpdate(), userID, Admin,
	).Scan(&ids).Error
}

// lockUser is the user as they are once locked.
func lockUser(tx *store.Tx, userID string) (User, error) {
	if err := lockUsers(tx, userID); err != nil {
		return User{}, err
	}
	return store.One[User](tx.Where("id = ?", userID), errNoUser)
}

// note writes to the audit what was done about a user.
func (s *Service) note(
	ctx context.Context, tx *store.Tx, by audit.Actor, act audit.Act, userID string, facts ...audit.Fact,
) error {
	return s.d.Audit.Write(ctx, tx, audit.Entry{
		Actor: by, Act: act, Subject: audit.Of(audit.User, userID), Facts: facts,
	})
}

func (s *Service) requireAdmin(tx *store.Tx, before, after User) error {
	if !before.Can(ManageUsers) || after.Can(ManageUsers) {
		return nil
	}
	left, err := store.Some(tx.Model(&User{}).Where("role = ? AND disabled_at IS NULL", Admin))
	if err == nil && !left {
		err = fault.New(fault.Conflict, "user.last-admin")
	}
	return err
}

// SetLocale stores the language a user wants to read, as a BCP 47 tag. It ends no session and is not in the audit.
// fault.Invalid: not a language.
func (s *Service) SetLocale(ctx context.Context, userID, locale string) error {
	tag, err := tidyLocale(locale)
	if err != nil {
		return err
	}
	return fault.Doing("set locale", s.d.DB.Exec(ctx, "UPDATE users SET locale = ? WHERE id = ?", tag, userID))
}
