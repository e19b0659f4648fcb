// Package staff has the people, shops and tills: who may sign in, at which till they stand, and what their role allows.
package staff

import (
	"context"
	"log/slog"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/go-webauthn/webauthn/webauthn"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/jobs"
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
	changes   store.Memory[string, []audit.Record] // of each shop, the newest first
	zones     store.Memory[struct{}, string]
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

const deviceForgotten = 400 * 24 * time.Hour // as long as a browser stores a cookie

// Jobs delete what no longer counts. Nothing depends on them: what has expired is refused even while its row exists.
func (s *Service) Jobs() []jobs.Job {
	return []jobs.Job{jobs.Periodic{Kind: "staff.sweep", Every: 15 * time.Minute, Do: s.Sweep}}
}

// Sweep deletes expired sessions, tries and refused arrivals that no longer count, and devices that nobody has used for
// as long as a browser stores a cookie.
func (s *Service) Sweep(ctx context.Context) error {
	now := s.now()
	return fault.Doing("sweep staff", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		_, err := tx.ExecAll(ctx,
			store.Statement{
				SQL:  "DELETE FROM sessions WHERE seen_at <= ? OR created_at <= ?",
				Args: []any{now.Add(-SessionIdle), now.Add(-SessionAbsolute)},
			},
			store.Statement{SQL: "DELETE FROM sign_ins WHERE began_at <= ?", Args: []any{now.Add(-secondWithin)}},
			store.Statement{SQL: "DELETE FROM challenges WHERE began_at <= ?", Args: []any{now.Add(-challengeWithin)}},
			store.Statement{SQL: "DELETE FROM login_tries WHERE last_at < ?", Args: []any{now.Add(-triesForgotten)}},
			store.Statement{SQL: "DELETE FROM refused_arrivals WHERE last_at <= ?", Args: []any{now.Add(-refusedFor)}},
			store.Statement{SQL: "DELETE FROM devices WHERE seen_at < ?", Args: []any{now.Add(-deviceForgotten)}})
		return err
	}))
}
