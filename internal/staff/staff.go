// Package staff has the people, shops and tills: who may sign in, at which till they stand, and what their role allows.
package staff

import (
	"log/slog"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/go-webauthn/webauthn/webauthn"

	"airtill/internal/audit"
	"airtill/internal/store"
)

// Deps is what the service needs.
type Deps struct {
	DB    *store.DB
	Now   func() time.Time
	Audit *audit.Log
	Log   *slog.Logger
	// Hashing sets what a password costs; nil means the right cost for
	// production. A hash made at another cost is renewed at the next login.
	Hashing *argon2id.Params
	// Seal and Open close and open the secrets of authenticators with a key that is not in
	// the database; a text opens for its owner alone.
	Seal, Open func(owner, text string) (string, error)
	// Outside is the identity provider whose people may sign in; nil: there is none.
	Outside *Outside
	// PublicURL is the till's address: passkeys are for its name.
	PublicURL string
	// SecondOptional: no role must have a second factor. Of a till for trying out.
	SecondOptional bool
}

// Service is the staff office. It is safe for concurrent use.
type Service struct {
	d      Deps
	hasher *hasher // of those who are signed in, or have signed in from the same browser
	// strangers have a queue of their own, so that a flood of them delays nobody else.
	strangers *hasher
	passkeys  *webauthn.WebAuthn // nil: passkeys do not work at the till's address
	users     store.Memory[string, User]
	shops     store.Memory[string, Shop]
	tills     store.Memory[string, Till]
	rules     store.Memory[Role, Rule]
}

// New returns the service.
func New(d Deps) *Service {
	hasher := newHasher(d.Hashing, hashesAtOnce, d.Now)
	strangers := *hasher
	strangers.slots, strangers.rests = make(chan struct{}, strangersAtOnce), guessRests
	return &Service{d: d, hasher: hasher, strangers: &strangers, passkeys: relyingParty(d.PublicURL)}
}

// SecondOptional says whether no role must have a second factor here.
func (s *Service) SecondOptional() bool { return s.d.SecondOptional }

func (s *Service) now() time.Time { return store.Moment(s.d.Now()) }

// newID returns an identifier that sorts by the time it was made.
func (s *Service) newID() string {
	return store.NewID(s.d.Now())
}

// orNull stores "" as NULL, which is how a reference to nothing is written.
func orNull(id string) any {
	if id == "" {
		return nil
	}
	return id
}
