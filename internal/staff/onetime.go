package staff

import (
	"context"
	"fmt"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// oneTime is how a password stands that somebody else chose.
type oneTime string

const (
	ownPassword oneTime = ""      // nobody else knows it, or a command set it
	fresh       oneTime = "fresh" // opens one session
	spent       oneTime = "spent" // has opened it
)

// chosenBy says how a password stands that the actor chose for a user.
func chosenBy(by audit.Actor, userID string) oneTime {
	if by.UserID == "" || by.UserID == userID {
		return ownPassword
	}
	return fresh
}

// MustChangePassword says whether somebody else chose the user's password: until
// they have chosen their own, they may do nothing else.
func (u User) MustChangePassword() bool { return u.PasswordOnce != ownPassword }

// spend makes a one-time password open no other session; of two logins at once
// one is refused.
func spend(tx *store.Tx, u User) error {
	if u.PasswordOnce != fresh {
		return nil
	}
	used := tx.Exec(
		"UPDATE users SET password_once = ? WHERE id = ? AND password_once = ? AND epoch = ?", spent, u.ID, fresh,
		u.Epoch,
	)
	if used.Error == nil && used.RowsAffected == 0 {
		return errWrong
	}
	return used.Error
}

// ChangePassword gives the actor a password of their own choice, for which they
// type the one they have. All of their sessions end; it returns the user as they
// sign in from now on. What is refused is fault.Invalid on the field "current" or
// "password".
func (s *Service) ChangePassword(ctx context.Context, by audit.Actor, current, password, address string) (User, error) {
	row, err := store.One[account](s.d.DB.Read(ctx).Table("users").Where("id = ?", by.UserID), errNoUser)
	if err != nil {
		return User{}, err
	}
	line := lineOf(row.Username, address, "", false)
	if err := s.admit(ctx, line); err != nil {
		return User{}, err
	}
	match, _, err := s.hasher.verify(ctx, current, row.PasswordHash)
	switch {
	case err != nil:
		return User{}, err
	case !match:
		return User{}, fault.OnField("current", "password.wrong")
	case password == current:
		return User{}, fault.OnField("password", "password.same")
	}
	if err := checkPassword(password, row.Username); err != nil {
		return User{}, err
	}
	hash, err := s.hasher.hash(ctx, password)
	if err != nil {
		return User{}, fmt.Errorf("change password: %w", err)
	}
	if err := s.d.DB.Tx(ctx, func(tx *store.Tx) error { return forgive(tx, line) }); err != nil {
		return User{}, fmt.Errorf("change password: %w", err)
	}
	err = s.change(ctx, row.ID, audit.Entry{Actor: by, Act: audit.UserPasswordChanged}, func(User) columns {
		return columns{"password_hash": hash, "password_once": ownPassword}
	})
	if err != nil {
		return User{}, err
	}
	return s.User(ctx, row.ID)
}
