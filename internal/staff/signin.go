package staff

import (
	"context"
	"errors"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// HasSecond says whether the user needs more than a password to sign in.
func (u User) HasSecond() bool { return u.SecondAt != nil }

// AwaitSecond notes that a user has given their password (Login), or comes from the identity provider (FinishOutside),
// and must now give their second factor. It returns a token for that browser; FinishLogin takes it.
func (s *Service) AwaitSecond(ctx context.Context, u User, byProvider bool) (token string, err error) {
	token = newToken()
	return token, fault.Doing("await second factor", s.d.DB.Exec(ctx,
		"INSERT INTO sign_ins (token_hash, user_id, epoch, by_provider, began_at) VALUES (?, ?, ?, ?, ?)",
		hashToken(token), u.ID, u.Epoch, byProvider, s.now()))
}

// AwaitsSecond says whether FinishLogin would accept a code for a token.
func (s *Service) AwaitsSecond(ctx context.Context, token string) (bool, error) {
	u, err := s.awaited(ctx, token)
	return u != nil, fault.Doing("read sign-in", err)
}

// begun is a sign-in that waits for a second factor.
type begun struct {
	User
	ByProvider bool // and not by the password
}

// awaited is who began to sign in with a token; nil: the token has expired.
func (s *Service) awaited(ctx context.Context, token string) (*begun, error) {
	return store.First[begun](s.d.DB.Read(ctx).Table("users").Select("users.*, sign_ins.by_provider").
		Joins("JOIN sign_ins ON sign_ins.user_id = users.id AND sign_ins.epoch = users.epoch").
		Where("sign_ins.token_hash = ? AND sign_ins.began_at > ? AND users.disabled_at IS NULL",
			hashToken(token), s.now().Add(-secondWithin)))
}

// FinishLogin returns the user who began to sign in with a token and now gives a code, of their app or for recovery;
// a.Username and a.Password are ignored. A wrong or used code is fault.Invalid; *TooManyTries says how long to wait;
// fault.Forbidden: they must begin again with the password.
func (s *Service) FinishLogin(ctx context.Context, token, code string, a Attempt) (User, error) {
	user, err := s.awaited(ctx, token)
	if err != nil {
		return User{}, fault.Doing("finish login", err)
	}
	if user == nil {
		return User{}, errSecondOver
	}
	known, err := s.knowsDevice(ctx, a.Device, user.Username)
	if err != nil {
		return User{}, fault.Doing("finish login", err)
	}
	line := lineOf(codesOf(user.ID), a.Address, a.Device, known)
	if err := s.admit(ctx, line); err != nil {
		s.logRefusal(ctx, "login.delayed", a, user.ID, err)
		return User{}, fault.Doing("finish login", err)
	}
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		err := tx.MustExec(errSecondOver, "DELETE FROM sign_ins WHERE token_hash = ?", hashToken(token))
		if err != nil {
			return err
		}
		if err := s.spendCode(ctx, tx, user.User, code); err != nil {
			return err
		}
		if !user.ByProvider {
			if err := errors.Join(spend(tx, user.User), s.breakGlass(ctx, tx, user.User)); err != nil {
				return err
			}
		}
		return forgive(tx, line)
	})
	if err != nil {
		s.logRefusal(ctx, "login.refused", a, user.ID, err)
		return User{}, fault.Doing("finish login", err)
	}
	s.d.Log.InfoContext(ctx, "login.accepted", "user", user.ID, "address", a.Address)
	return user.User, nil
}

// provePassword fails with fault.Invalid on the field "password" unless it is the actor's. Somebody without one,
// because the identity provider vouches for them, must have just signed in. It returns the epoch of the account as it
// was then: see stillAt.
func (s *Service) provePassword(
	ctx context.Context, by audit.Actor, password, address string,
) (epoch int64, err error) {
	row, err := store.One[account](accounts(s.d.DB.Read(ctx)).Where("id = ?", by.UserID), errNoUser)
	if err != nil {
		return 0, err
	}
	if !row.HasPassword() {
		return row.Epoch, s.ownSecond(by)
	}
	line := lineOf(row.Username, address, "", false)
	if err := s.admit(ctx, line); err != nil {
		return 0, err
	}
	match, _, err := s.hasher.verify(ctx, password, row.Hash)
	if err != nil {
		return 0, err
	}
	if !match {
		return 0, fault.OnField("password", "password.wrong")
	}
	return row.Epoch, s.d.DB.Tx(ctx, func(tx *store.Tx) error { return forgive(tx, line) })
}

// stillAt fails with ErrPassword if an admin reset the user, or ended their sessions, since their password was proved:
// whoever knew the old one must not go on under the next epoch.
func stillAt(epoch int64, u User) error {
	if u.Epoch != epoch {
		return ErrPassword
	}
	return nil
}
