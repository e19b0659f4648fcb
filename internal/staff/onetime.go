package staff

import (
	"context"
	"fmt"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// oneTime is the state of a password that somebody else chose.
type oneTime string

const (
	ownPassword oneTime = ""      // nobody else knows it, or a command set it
	fresh       oneTime = "fresh" // opens one session
	spent       oneTime = "spent" // has opened it
)

// firstPasswordFor is how long a password that somebody else chose is valid.
const firstPasswordFor = 72 * time.Hour

// isSet says of a password's hash only that there is one: the hash itself is read where it is needed.
type isSet bool

// Scan is called by GORM.
func (i *isSet) Scan(hash any) error {
	switch h := hash.(type) {
	case string:
		*i = h != ""
	case []byte:
		*i = len(h) > 0
	default:
		return fmt.Errorf("a password hash is no %T", hash)
	}
	return nil
}

// HasPassword says whether there is a password: somebody for whom the identity provider vouches has none.
func (u User) HasPassword() bool { return bool(u.PasswordSet) }

// until is when a password expires; nil: never.
func (s *Service) until(once oneTime) *time.Time {
	if once != fresh {
		return nil
	}
	end := s.now().Add(firstPasswordFor)
	return &end
}

// chosenBy is the state of a password that the actor chose for somebody else.
func chosenBy(by audit.Actor) oneTime {
	if by.UserID == "" {
		return ownPassword
	}
	return fresh
}

// MustChangePassword says whether somebody else chose the user's password. Until they choose their own, they can do
// nothing else.
func (u User) MustChangePassword() bool { return u.PasswordOnce != ownPassword }

// PasswordOver says whether a password that somebody else chose opens nothing any more: it has opened its session, or
// nobody used it in time.
func (u User) PasswordOver(now time.Time) bool {
	return u.PasswordOnce == spent || u.PasswordUntil != nil && !now.Before(*u.PasswordUntil)
}

// spend stops a one-time password from opening another session; of two logins at once, one is refused.
func spend(tx *store.Tx, u User) error {
	if u.PasswordOnce != fresh {
		return nil
	}
	return tx.MustExec(errWrong,
		"UPDATE users SET password_once = ? WHERE id = ? AND password_once = ? AND epoch = ?", spent, u.ID, fresh,
		u.Epoch)
}

// ChangePassword gives the actor a password of their own choice; they type the current one, too. All of their sessions
// end. It returns the changed user. Refusals are fault.Invalid on the field "current" or "password"; ErrPassword: their
// sessions ended meanwhile.
func (s *Service) ChangePassword(ctx context.Context, by audit.Actor, current, password, address string) (User, error) {
	row, err := s.User(ctx, by.UserID)
	if err != nil {
		return User{}, err
	}
	if !row.HasPassword() {
		return User{}, errNoPassword
	}
	switch _, err := s.provePassword(ctx, by, current, address); {
	case fault.KindOf(err) == fault.Invalid:
		return User{}, fault.OnField("current", "password.wrong")
	case err != nil:
		return User{}, err
	case password == current:
		return User{}, fault.OnField("password", "password.same")
	}
	if err := checkPassword(password, row); err != nil {
		return User{}, err
	}
	hash, err := s.hasher.hash(ctx, password)
	if err != nil {
		return User{}, fmt.Errorf("change password: %w", err)
	}
	changed := audit.Entry{Actor: by, Act: audit.UserPasswordChanged}
	err = s.changeWith(ctx, by.UserID, changed, func(_ *store.Tx, u User) (columns, error) {
		return columns{
			"password_hash": hash, "password_short": short(password),
			"password_once": ownPassword, "password_until": nil,
		}, stillAt(row.Epoch, u)
	})
	if err != nil {
		return User{}, err
	}
	return s.User(ctx, row.ID)
}
