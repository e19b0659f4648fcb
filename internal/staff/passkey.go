package staff

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

const passkeysKept = 10 // of one person

var (
	errPasskey        = fault.OnField("passkey", "passkey.wrong")
	errPasskeyCopied  = fault.OnField("passkey", "passkey.copied")
	errPasskeyAddress = fault.New(fault.Conflict, "passkey.address")
	errNoPasskey      = fault.New(fault.NotFound, "passkey.none")
	errAgain          = fault.New(fault.Forbidden, "second.again")
	errSignInAgain    = fault.New(fault.Forbidden, "second.sign-in-again")
)

// Passkey is a key whose private half is on somebody's device.
type Passkey struct {
	ID         string // of the credential, as base64url
	UserID     string
	Name       string
	Credential webauthn.Credential `gorm:"serializer:json"`
	AddedAt    time.Time
	UsedAt     *time.Time
	CopiedAt   *time.Time // when its count went back, which means a copy exists; it is refused since
}

// TakesPasskeys says whether browsers can use passkeys at the till's address.
func (s *Service) TakesPasskeys() bool { return s.passkeys != nil }

// BeginPasskey returns what a browser needs, as JSON, to make a passkey for the actor, and a token for that browser;
// AddPasskey takes both. The actor has just proved who they are.
func (s *Service) BeginPasskey(ctx context.Context, by audit.Actor) (asked []byte, token string, err error) {
	if err := s.mayAddPasskey(by); err != nil {
		return nil, "", err
	}
	user, err := s.User(ctx, by.UserID)
	if err != nil {
		return nil, "", err
	}
	o, err := ownerOf(s.d.DB.Read(ctx), user)
	if err != nil {
		return nil, "", fault.Doing("begin passkey", err)
	}
	options, kept, err := s.passkeys.BeginRegistration(o,
		webauthn.WithExclusions(webauthn.Credentials(o.keys).CredentialDescriptors()))
	return s.askBrowser(ctx, options, newPasskey{kept, user.Epoch}, err)
}

// newPasskey is what the answer of a browser that makes a passkey is checked against.
type newPasskey struct {
	*webauthn.SessionData

	OwnerEpoch int64 // whoever was reset or signed out since has begun in vain
}

// AskPasskey is BeginPasskey for an existing passkey of anybody's. LoginByPasskey and ProvePasskey take the answer.
func (s *Service) AskPasskey(ctx context.Context) (asked []byte, token string, err error) {
	if !s.TakesPasskeys() {
		return nil, "", errPasskeyAddress
	}
	options, kept, err := s.passkeys.BeginDiscoverableLogin()
	return s.askBrowser(ctx, options, kept, err)
}

// mayAddPasskey fails unless passkeys work at the till's address and the actor has just proved who they are.
func (s *Service) mayAddPasskey(by audit.Actor) error {
	if !s.TakesPasskeys() {
		return errPasskeyAddress
	}
	return s.ownSecond(by)
}

// ownSecond fails unless the actor has just proved who they are with everything they have: only then may they change
// how they prove it.
func (s *Service) ownSecond(by audit.Actor) error {
	switch err := checkFresh(by, s.now()); {
	case err != nil && by.SecondFactor:
		return errAgain
	case err != nil:
		return errSignInAgain
	}
	return nil
}

// AddPasskey adds the passkey that the browser made for a challenge (BeginPasskey), under a name of the actor's choice,
// and returns the changed user, with recovery codes if it is their first second factor. All sessions end. ErrPassword:
// their sessions ended meanwhile.
func (s *Service) AddPasskey(
	ctx context.Context, by audit.Actor, token, name, answer string,
) (u User, recovery []string, err error) {
	if err := s.mayAddPasskey(by); err != nil {
		return User{}, nil, err
	}
	asked := newPasskey{SessionData: &webauthn.SessionData{}}
	if err := s.takeChallenge(ctx, token, &asked, errPasskey); err != nil {
		return User{}, nil, err
	}
	made, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return User{}, nil, s.notPasskey(ctx, err)
	}
	if name, err = tidyText("name", "The name", name); err != nil {
		return User{}, nil, err
	}
	e := audit.Entry{Actor: by, Act: audit.UserPasskeyAdded, Facts: audit.Facts{audit.Text("name", name)}}
	err = s.changeWith(ctx, by.UserID, e, func(tx *store.Tx, u User) (columns, error) {
		o, err := ownerOf(tx.DB, u)
		if err != nil {
			return nil, err
		}
		if len(o.keys) >= passkeysKept {
			return nil, fault.New(fault.Conflict, "passkey.many", passkeysKept)
		}
		key, err := s.passkeys.CreateCredential(o, *asked.SessionData, made)
		if err != nil {
			return nil, s.notPasskey(ctx, err)
		}
		if u.Epoch != asked.OwnerEpoch {
			return nil, ErrPassword
		}
		key.Attestation = webauthn.CredentialAttestation{} // none was asked for
		err = tx.Create(&Passkey{
			ID: base64.RawURLEncoding.EncodeToString(key.ID), UserID: u.ID,
			Name: name, Credential: *key, AddedAt: s.now(),
		}).Error
		if errors.Is(err, gorm.ErrDuplicatedKey) {
			return nil, s.notPasskey(ctx, err)
		}
		return s.firstSecond(tx, u, &recovery, err)
	})
	if err != nil {
		return User{}, nil, err
	}
	u, err = s.User(ctx, by.UserID)
	return u, recovery, err
}

// RemovePasskey removes one of the actor's passkeys. If it was all they had beside a password, their second factor is
// gone, too. All sessions end. ErrPassword: those of the actor's epoch had ended already.
func (s *Service) RemovePasskey(ctx context.Context, by audit.Actor, epoch int64, id string) (User, error) {
	if err := s.ownSecond(by); err != nil {
		return User{}, err
	}
	e := audit.Entry{Actor: by, Act: audit.UserPasskeyRemoved}
	err := s.changeWith(ctx, by.UserID, e, func(tx *store.Tx, u User) (columns, error) {
		if err := stillAt(epoch, u); err != nil {
			return nil, err
		}
		err := tx.MustExec(errNoPasskey, "DELETE FROM passkeys WHERE id = ? AND user_id = ?", id, u.ID)
		if err != nil {
			return nil, err
		}
		left, err := store.Value[int64](tx.Raw(`SELECT (SELECT COUNT(*) FROM passkeys WHERE user_id = ?)
+ (SELECT COUNT(*) FROM authenticators WHERE user_id = ? AND confirmed_at IS NOT NULL)`, u.ID, u.ID))
		if err != nil || left > 0 {
			return columns{}, err
		}
		return columns{"second_at": nil}, mayStandAlone(u)
	})
	if err != nil {
		return User{}, err
	}
	return s.User(ctx, by.UserID)
}

// LoginByPasskey returns the user whose passkey answered a challenge (AskPasskey). Nothing else is asked of them;
// a.Username and a.Password are ignored. Refusals are fault.Invalid.
func (s *Service) LoginByPasskey(ctx context.Context, token, answer string, a Attempt) (User, error) {
	user, err := s.spendPasskey(ctx, token, answer, "")
	if err == nil {
		err = s.checkNetwork(ctx, user, a.Address)
	}
	if err == nil && s.SingleSignOn() {
		err = s.d.DB.Tx(ctx, func(tx *store.Tx) error { return s.breakGlass(ctx, tx, user) })
	}
	if err != nil {
		s.logRefusal(ctx, "login.refused", a, user.ID, err)
		return User{}, fault.Doing("log in by passkey", err)
	}
	s.d.Log.InfoContext(ctx, "login.accepted", "user", user.ID, "address", a.Address)
	return user, nil
}

// ProvePasskey fails with fault.Invalid unless one of the actor's passkeys answered a challenge. For a while afterwards
// they may sign what takes two people.
func (s *Service) ProvePasskey(ctx context.Context, by audit.Actor, token, answer string) error {
	_, err := s.spendPasskey(ctx, token, answer, by.UserID)
	return fault.Doing("prove passkey", err)
}

// spendPasskey returns the user whose passkey answered a challenge; it must be userID's if that is given. A passkey
// whose count did not rise has a copy, and is refused from then on.
func (s *Service) spendPasskey(ctx context.Context, token, answer, userID string) (u User, err error) {
	if !s.TakesPasskeys() {
		return User{}, errPasskeyAddress
	}
	var asked webauthn.SessionData
	if err := s.takeChallenge(ctx, token, &asked, errPasskey); err != nil {
		return User{}, err
	}
	signed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return User{}, s.notPasskey(ctx, err)
	}
	copied := false
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		key, err := store.One[Passkey](tx.Raw("SELECT * FROM passkeys WHERE id = ?"+tx.ForUpdate(),
			base64.RawURLEncoding.EncodeToString(signed.RawID)), errPasskey)
		if err != nil {
			return err
		}
		if u, err = store.One[User](tx.Where("id = ?", key.UserID), errNoUser); err != nil {
			return err
		}
		if u.Disabled() || userID != "" && userID != u.ID {
			return errPasskey
		}
		whose := func([]byte, []byte) (webauthn.User, error) {
			return owner{User: u, keys: []webauthn.Credential{key.Credential}}, nil
		}
		proved, err := s.passkeys.ValidateDiscoverableLogin(whose, asked, signed)
		switch {
		case err != nil:
			return s.notPasskey(ctx, err)
		case key.CopiedAt != nil:
			copied = true
			return nil
		case proved.Authenticator.CloneWarning:
			copied = true
			return errors.Join(
				tx.Exec("UPDATE passkeys SET copied_at = ? WHERE id = ?", s.now(), key.ID).Error,
				s.note(ctx, tx, actorOf(u), audit.UserPasskeyCopied, u.ID, audit.Text("name", key.Name)))
		}
		return tx.Model(&Passkey{}).Where("id = ?", key.ID).
			Updates(Passkey{Credential: *proved, UsedAt: new(s.now())}).Error
	})
	if err == nil && copied {
		err = errPasskeyCopied
	}
	return u, err
}

// notPasskey logs why an answer was refused; whoever gave it is not told.
func (s *Service) notPasskey(ctx context.Context, err error) error {
	if why, ok := errors.AsType[*protocol.Error](err); ok {
		err = fmt.Errorf("%w: %s", why, why.DevInfo)
	}
	s.d.Log.WarnContext(ctx, "passkey.refused", "error", err)
	return errPasskey
}
