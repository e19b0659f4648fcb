package staff

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// Attempt is one try to sign in.
type Attempt struct {
	Username string // as typed
	Password string
	Address  string // IP address of the client
	Device   string // token of RememberDevice, "" if the browser has none
}

// account is a user with the hash of their password.
type account struct {
	User
	Hash string
}

func accounts(read *gorm.DB) *gorm.DB {
	return read.Table("users").Select("users.*, password_hash AS hash")
}

// Login returns the user with this username and password. A user with a second factor (HasSecond) is signed in only by
// FinishLogin. Unknown users, disabled users and wrong passwords take equally long and get the same message
// (fault.Invalid); *TooManyTries says how long to wait. No password is logged, nor a username that does not exist.
func (s *Service) Login(ctx context.Context, a Attempt) (User, error) {
	name := foldUsername(a.Username)
	known, err := s.knowsDevice(ctx, a.Device, name)
	if err != nil {
		return User{}, fmt.Errorf("log in: %w", err)
	}
	line := lineOf(name, a.Address, a.Device, known)
	if err := s.admit(ctx, line); err != nil {
		s.logRefusal(ctx, "login.delayed", a, "", err)
		return User{}, fmt.Errorf("log in: %w", err)
	}
	queue := s.strangers
	if known {
		queue = s.hasher
	}
	user, stale, err := s.authenticate(ctx, queue, name, a.Password)
	if err != nil {
		s.logRefusal(ctx, "login.refused", a, user.ID, err)
		return User{}, fmt.Errorf("log in: %w", err)
	}
	if err := s.checkNetwork(ctx, user, a.Address); err != nil {
		return User{}, fmt.Errorf("log in: %w", err)
	}
	if err := s.welcome(ctx, queue, user, line, stale, a.Password); err != nil {
		return User{}, fmt.Errorf("log in: %w", err)
	}
	if user.HasSecond() {
		return user, nil
	}
	s.d.Log.InfoContext(ctx, "login.accepted", "user", user.ID, "address", a.Address)
	return user, nil
}

func (s *Service) logRefusal(ctx context.Context, event string, a Attempt, userID string, err error) {
	s.d.Log.WarnContext(ctx, event, "user", userID, "address", a.Address, "kind", fault.KindOf(err))
}

var errWrong = fault.New(fault.Invalid, "login.wrong")

// authenticate does the same work whether or not the user exists. With an error it returns the user who was tried, for
// the log only.
func (s *Service) authenticate(
	ctx context.Context, queue *hasher, username, password string,
) (user User, stale bool, err error) {
	var row account
	err = accounts(s.d.DB.Read(ctx)).Take(&row, "username = ?", username).Error
	if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
		return User{}, false, err
	}
	usable := err == nil && !row.Disabled() && row.HasPassword() && !row.PasswordOver(s.now())
	hash := row.Hash
	if !usable {
		hash = queue.decoy
	}
	match, stale, err := queue.verify(ctx, password, hash)
	if err != nil {
		return row.User, false, err
	}
	if !match || !usable {
		return row.User, false, errWrong
	}
	return row.User, stale, nil
}

// welcome uncounts the try, and renews a hash that was made at another cost.
func (s *Service) welcome(ctx context.Context, queue *hasher, user User, l line, stale bool, password string) error {
	renewed := ""
	if stale {
		var err error
		if renewed, err = queue.hash(ctx, password); err != nil {
			return err
		}
	}
	return s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if renewed != "" {
			// Not if the password was changed meanwhile: that moves the epoch on.
			if err := tx.Exec(
				"UPDATE users SET password_hash = ? WHERE id = ? AND epoch = ?", renewed, user.ID, user.Epoch,
			).Error; err != nil {
				return err
			}
		}
		if !user.HasSecond() { // else the second factor opens the session
			if err := errors.Join(spend(tx, user), s.breakGlass(ctx, tx, user)); err != nil {
				return err
			}
		}
		return forgive(tx, l)
	})
}
