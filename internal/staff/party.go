package staff

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// owner is a user as WebAuthn wants them described.
type owner struct {
	User
	keys []webauthn.Credential
}

// WebAuthnID is the handle by which a passkey finds its user.
func (o owner) WebAuthnID() []byte { return []byte(o.ID) }

// WebAuthnName is shown by the device.
func (o owner) WebAuthnName() string { return o.Username }

// WebAuthnDisplayName is, too.
func (o owner) WebAuthnDisplayName() string { return o.DisplayName }

// WebAuthnCredentials are the passkeys that may answer.
func (o owner) WebAuthnCredentials() []webauthn.Credential { return o.keys }

// relyingParty is whom passkeys are for: the till's host name. It is nil if browsers would not accept it: they want
// TLS, or localhost.
func relyingParty(publicURL string) *webauthn.WebAuthn {
	u, err := url.Parse(publicURL)
	if err != nil || u.Scheme != "https" && u.Hostname() != "localhost" || protocol.ValidateRPID(u.Hostname()) != nil {
		return nil
	}
	party, err := webauthn.New(&webauthn.Config{
		RPID: u.Hostname(), RPDisplayName: "airtill", RPOrigins: []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
	})
	if err != nil {
		return nil
	}
	return party
}

func (s *Service) askBrowser(
	ctx context.Context, options, kept any, err error,
) (asked []byte, token string, _ error) {
	if err == nil {
		asked, err = json.Marshal(options)
	}
	if err == nil {
		token, err = s.challenge(ctx, kept)
	}
	return asked, token, fault.Doing("ask for passkey", err)
}

func ownerOf(read *gorm.DB, u User) (owner, error) {
	keys, err := store.All[Passkey](read.Where("user_id = ?", u.ID).Order("added_at, id"))
	o := owner{User: u}
	for _, k := range keys {
		o.keys = append(o.keys, k.Credential)
	}
	return o, err
}
