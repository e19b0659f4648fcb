package staff

import (
	"cmp"
	"context"
	"crypto/subtle"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

const (
	codeStep     = 30 // seconds for which an app shows a code
	codeSteps    = 1  // codes of this many steps before or after are valid, too, since clocks differ
	secondWithin = 10 * time.Minute
	setUpSteps   = 60 // for which an app may be set up: half an hour
)

var (
	errCode       = fault.OnField("code", "code.wrong")
	errSecondOver = fault.New(fault.Forbidden, "code.too-late")
	errNoSecond   = fault.New(fault.Conflict, "second.none")
	errHasSecond  = fault.New(fault.Conflict, "second.there")
)

// Second is the state of somebody's second factor.
type Second struct {
	App      bool      // an app shows codes for it
	Secret   string    // of an app that is being set up, "" if none is
	URL      string    // the same as a QR code
	Recovery int       // codes that are left
	Passkeys []Passkey // the oldest first
}

// authenticator is a row of authenticators.
type authenticator struct {
	Secret      string
	ConfirmedAt *time.Time
	LastStep    int64 // the last one used; of an app that is being set up, the last one before that
}

// forgotten says whether the setting up of an app was begun and left. At a screen left open it may have been begun by
// somebody else, who knows the secret.
func (a *authenticator) forgotten(now time.Time) bool {
	return a.ConfirmedAt == nil && now.Unix()/codeStep-a.LastStep > setUpSteps
}

// Second returns the state of a user's second factor.
func (s *Service) Second(ctx context.Context, u User) (Second, error) {
	app, err := store.First[authenticator](s.d.DB.Read(ctx).Table("authenticators").Where("user_id = ?", u.ID))
	second := Second{App: app != nil && app.ConfirmedAt != nil}
	if err == nil && app != nil && !second.App && !app.forgotten(s.now()) {
		second.Secret, err = s.d.Open(secretOf(u.ID), app.Secret)
		second.URL = "otpauth://totp/airtill:" + url.PathEscape(u.Username) + "?issuer=airtill&secret=" + second.Secret
	}
	if err != nil {
		return Second{}, fmt.Errorf("read second factor: %w", err)
	}
	var left int64
	err = s.d.DB.Read(ctx).Table("recovery_codes").Where("user_id = ? AND used_at IS NULL", u.ID).Count(&left).Error
	second.Recovery = int(left)
	if err == nil {
		second.Passkeys, err = store.All[Passkey](s.d.DB.Read(ctx).Where("user_id = ?", u.ID).Order("added_at, id"))
	}
	return second, fault.Doing("read second factor", err)
}

func secretOf(userID string) string { return "authenticator of " + userID }

// BeginSecond makes a secret for the actor's app. It is valid once they have typed one of its codes (ConfirmSecond),
// within half an hour; an earlier secret that was never confirmed is deleted.
func (s *Service) BeginSecond(ctx context.Context, by audit.Actor) error {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "airtill", AccountName: by.Name, SecretSize: 20})
	if err != nil {
		return fmt.Errorf("begin second factor: %w", err)
	}
	secret, err := s.d.Seal(secretOf(by.UserID), key.Secret())
	if err != nil {
		return fmt.Errorf("begin second factor: %w", err)
	}
	before := s.now().Unix()/codeStep - codeSteps - 1
	return fault.Doing("begin second factor", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		return tx.MustExec(errHasSecond, `INSERT INTO authenticators (user_id, secret, last_step) VALUES (?, ?, ?)
			ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, last_step = excluded.last_step
			WHERE authenticators.confirmed_at IS NULL`, by.UserID, secret, before)
	}))
}

// ConfirmSecond makes the app of BeginSecond valid. It returns the changed user and, if it is their first second
// factor, recovery codes, which cannot be shown again; somebody with a passkey has just used it. All sessions end.
// Refusals are fault.Invalid on the field "password" or "code"; ErrPassword: their sessions ended meanwhile.
func (s *Service) ConfirmSecond(
	ctx context.Context, by audit.Actor, password, code, address string,
) (u User, recovery []string, err error) {
	if by.SecondFactor {
		if err = s.ownSecond(by); err != nil {
			return User{}, nil, err
		}
	}
	epoch, err := s.provePassword(ctx, by, password, address)
	if err != nil {
		return User{}, nil, err
	}
	set := audit.Entry{Actor: by, Act: audit.UserSecondSet}
	err = s.changeWith(ctx, by.UserID, set, func(tx *store.Tx, u User) (columns, error) {
		if err := stillAt(epoch, u); err != nil {
			return nil, err
		}
		if err := s.spendStep(tx, u.ID, plainCode(code), false); err != nil {
			return nil, err
		}
		return s.firstSecond(tx, u, &recovery, tx.MustExec(errHasSecond,
			"UPDATE authenticators SET confirmed_at = ? WHERE user_id = ? AND confirmed_at IS NULL", s.now(), u.ID))
	})
	if err != nil {
		return User{}, nil, err
	}
	u, err = s.User(ctx, by.UserID)
	return u, recovery, err
}

// firstSecond returns what changes for a user who gets a second factor, with recovery codes if it is the first.
func (s *Service) firstSecond(tx *store.Tx, u User, recovery *[]string, err error) (columns, error) {
	if err != nil || u.HasSecond() {
		return columns{}, err
	}
	*recovery, err = s.renewRecovery(tx, u.ID)
	return columns{"second_at": s.now()}, err
}

// RemoveSecond removes the actor's second factor, passkeys included; they give their password and a code. All sessions
// end. It fails like ConfirmSecond.
func (s *Service) RemoveSecond(ctx context.Context, by audit.Actor, password, code, address string) (User, error) {
	epoch, err := s.provePassword(ctx, by, password, address)
	if err != nil {
		return User{}, err
	}
	err = s.proveCode(ctx, by, code, address, func(tx *store.Tx, u User) error {
		if err := cmp.Or(stillAt(epoch, u), mayStandAlone(u)); err != nil {
			return err
		}
		return s.apply(ctx, tx, u, audit.Entry{Actor: by, Act: audit.UserSecondRemoved}, columns{"second_at": nil}, "")
	})
	if err != nil {
		return User{}, err
	}
	return s.User(ctx, by.UserID)
}

// ProveSecond fails with fault.Invalid on the field "code" unless it is a code of the actor's. For a while afterwards
// they may sign what takes two people.
func (s *Service) ProveSecond(ctx context.Context, by audit.Actor, code, address string) error {
	return s.proveCode(ctx, by, code, address, func(*store.Tx, User) error { return nil })
}

// ResetSecond removes the second factor of somebody who has lost it. It takes two people.
func (s *Service) ResetSecond(ctx context.Context, by audit.Actor, userID, reason string) error {
	if by.UserID == userID {
		return fault.New(fault.Invalid, "second.reset-own")
	}
	return s.change(ctx, userID, audit.Entry{
		Actor: by, Act: audit.UserSecondReset, Reason: reason,
	}, func(u User) columns {
		if u.SecondAt == nil {
			return nil
		}
		return s.chosen(by, columns{"second_at": nil})
	})
}

// forgetSecond deletes what belonged to a removed second factor.
func forgetSecond(tx *store.Tx, userID string) error {
	for _, table := range []string{"authenticators", "recovery_codes", "passkeys"} {
		if err := tx.Exec("DELETE FROM "+table+" WHERE user_id = ?", userID).Error; err != nil {
			return err
		}
	}
	return nil
}

// proveCode does something in the transaction that uses up a code of the actor's. The code counts as a try before it is
// looked at.
func (s *Service) proveCode(
	ctx context.Context, by audit.Actor, code, address string, then func(*store.Tx, User) error,
) error {
	line := lineOf(codesOf(by.UserID), address, "", false)
	if err := s.admit(ctx, line); err != nil {
		return err
	}
	return fault.Doing("prove second factor", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		u, err := lockUser(tx, by.UserID)
		if err != nil {
			return err
		}
		if err := s.spendCode(ctx, tx, u, code); err != nil {
			return err
		}
		if err := forgive(tx, line); err != nil {
			return err
		}
		return then(tx, u)
	}))
}

// codesOf is the name under which tries of somebody's codes are counted; it cannot be a username.
func codesOf(userID string) string { return "codes of " + userID }

func plainCode(typed string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "", "\x00", "").Replace(strings.ToValidUTF8(typed, "")))
}

// spendCode fails with errCode unless a code is an unused one of the user's: from their app, or for recovery.
func (s *Service) spendCode(ctx context.Context, tx *store.Tx, u User, typed string) error {
	code := plainCode(typed)
	if u.SecondAt == nil {
		return errNoSecond
	}
	if len(code) == otp.DigitsSix.Length() {
		return s.spendStep(tx, u.ID, code, true)
	}
	if err := tx.MustExec(errCode,
		"UPDATE recovery_codes SET used_at = ? WHERE user_id = ? AND code_hash = ? AND used_at IS NULL",
		s.now(), u.ID, hashToken(code)); err != nil {
		return err
	}
	return s.note(ctx, tx, actorOf(u), audit.UserRecoveryUsed, u.ID)
}

// spendStep fails with errCode unless it is an unused code of the user's app. Its step and all earlier ones are used up
// with it, in every process. confirmed: an app that is still being set up does not count, since whoever finds a screen
// open can begin with one of theirs.
func (s *Service) spendStep(tx *store.Tx, userID, code string, confirmed bool) error {
	// Locked: begun again meanwhile, it would have another secret than the one that is confirmed.
	app, err := store.First[authenticator](
		tx.Raw("SELECT * FROM authenticators WHERE user_id = ?"+tx.ForUpdate(), userID))
	if err != nil {
		return err
	}
	if app == nil || confirmed && app.ConfirmedAt == nil || app.forgotten(s.now()) {
		return errCode
	}
	secret, err := s.d.Open(secretOf(userID), app.Secret)
	if err != nil {
		return err
	}
	now := s.now().Unix() / codeStep
	for step := now - codeSteps; step <= now+codeSteps; step++ {
		want, err := hotp.GenerateCode(secret, uint64(step))
		if err != nil {
			return err
		}
		if subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 0 {
			continue
		}
		spent := tx.Exec(
			"UPDATE authenticators SET last_step = ? WHERE user_id = ? AND last_step < ?", step, userID, step,
		)
		if spent.Error != nil || spent.RowsAffected == 1 {
			return spent.Error
		}
	}
	return errCode
}
