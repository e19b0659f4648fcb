package staff

import (
	"context"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// How long a session lasts.
const (
	SessionIdle     = 15 * time.Minute // after the last request
	SessionAbsolute = 8 * time.Hour    // after the login
	// sessionTouch is how stale the time of the last request may be: SQLite has
	// one writer, and not every request may wait for it.
	sessionTouch = time.Minute
)

// Session is what is stored of a signed-in browser.
type Session struct {
	UserID string
	Epoch  int64  // the user's, at login
	TillID string // "" while no till is chosen
	Data   []byte // the web layer's own values, as text
	// Since is when the password was given, if not just now: a session begun by a PIN lasts no longer than one begun
	// by that password.
	Since time.Time
	// SecondAt is when the second factor was last given in it; zero: never.
	SecondAt time.Time
	// Again: it was there when the request began. One that was ended since, in another tab, stays ended.
	Again bool
	// Where it begins; later calls leave that as it was.
	Address, Agent string
}

// Presence is who is there: a session with all it refers to. It is read again for every request, so a changed role
// applies to the next one.
type Presence struct {
	User       User
	Shop       Shop // the user's shop; zero for a role that sees every shop
	Till       Till // zero while no till is chosen
	SignedInAt time.Time
	SeenAt     time.Time
	SecondAt   *time.Time   // when the second factor was last given in the session; nil: never
	Rule       Rule         // of the user's role
	NeedSecond bool         // the user must set up a second factor first
	Data       []byte       // of the session, as given to SaveSession
	Epochs     store.Epochs // as of which the rest is
}

// Fresh says whether the second factor, or the password of somebody without one, was given a moment ago. A till PIN
// does not count.
func (p Presence) Fresh(now time.Time) bool { return checkFresh(p.Actor(), now) == nil }

// Actor is who the audit names.
func (p Presence) Actor() audit.Actor {
	actor := audit.Actor{
		UserID: p.User.ID, Name: p.User.Username, Role: string(p.User.Role), ShopID: p.Shop.ID, TillID: p.Till.ID,
		SignedInAt: p.SignedInAt,
	}
	if actor.SecondFactor = p.User.HasSecond(); actor.SecondFactor {
		actor.SignedInAt = time.Time{}
		if p.SecondAt != nil {
			actor.SignedInAt = *p.SecondAt
		}
	}
	return actor
}

// SaveSession creates or alters the session of a token. The first call sets the time of the login.
func (s *Service) SaveSession(ctx context.Context, token string, x Session) error {
	now, since := s.now(), s.now()
	if !x.Since.IsZero() {
		since = store.Moment(x.Since)
	}
	agent := strings.ToValidUTF8(x.Agent[:min(len(x.Agent), longestAgent)], "")
	var second *time.Time
	if !x.SecondAt.IsZero() {
		moment := store.Moment(x.SecondAt)
		second = &moment
	}
	if x.Again {
		return fault.Doing("save session", s.d.DB.Exec(ctx, `UPDATE sessions SET user_id = ?, epoch = ?, till_id = ?,
			data = ?, seen_at = ?, second_at = ? WHERE token_hash = ?`,
			x.UserID, x.Epoch, orNull(x.TillID), string(x.Data), now, second, hashToken(token)))
	}
	const save = `INSERT INTO sessions (token_hash, user_id, epoch, till_id, data, created_at, seen_at, address, agent,
		second_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (token_hash) DO UPDATE SET user_id = excluded.user_id, epoch = excluded.epoch,
		till_id = excluded.till_id, data = excluded.data, seen_at = excluded.seen_at,
		second_at = excluded.second_at`
	return fault.Doing("save session", s.d.DB.Exec(ctx, save,
		hashToken(token), x.UserID, x.Epoch, orNull(x.TillID), string(x.Data), since, now,
		x.Address, strings.ReplaceAll(agent, "\x00", ""), second))
}

// EndSession ends one session; ending one that is over is no error.
func (s *Service) EndSession(ctx context.Context, token string) error {
	return fault.Doing("end session", s.d.DB.Exec(ctx, "DELETE FROM sessions WHERE token_hash = ?", hashToken(token)))
}

// Live says whether the session of a token is not over.
func (s *Service) Live(ctx context.Context, token string) (bool, error) {
	live, err := store.Some(s.alive(ctx).Where("sessions.token_hash = ?", hashToken(token)))
	return live, unreadable(err)
}

// overAtOnce is how many sessions a statement asks for, always: its text, and so its plan, is the same however many
// there are.
const overAtOnce = 64

// Over returns which of some sessions are over, by their tokens.
func (s *Service) Over(ctx context.Context, tokens []string) (map[string]bool, error) {
	over := make(map[string]bool, len(tokens))
	for some := range slices.Chunk(tokens, overAtOnce) {
		of := make(map[string]string, len(some)) // tokens, by hash
		hashes := make([]string, overAtOnce)
		for i := range hashes {
			token := some[min(i, len(some)-1)]
			hashes[i] = hashToken(token)
			of[hashes[i]], over[token] = token, true
		}
		live, err := store.All[string](
			s.alive(ctx).Select("sessions.token_hash").Where("sessions.token_hash IN ?", hashes))
		if err != nil {
			return nil, unreadable(err)
		}
		for _, hash := range live {
			over[of[hash]] = false
		}
	}
	return over, nil
}

// Present returns who is there, and false if the session is over: it expired, or the user was disabled or got another
// role or password. At the same time it asks what is likely to be asked next.
func (s *Service) Present(
	ctx context.Context, token string, asked ...store.Asked,
) (p Presence, ahead *store.Ahead, live bool, err error) {
	now := s.now()
	var userID, tillID string
	ahead, err = s.d.DB.Foresee(ctx, store.Query{
		SQL: presentSQL, Args: []any{hashToken(token), now.Add(-SessionAbsolute), now.Add(-SessionIdle)},
		Row: func(scan store.Scanner) error {
			live = true
			return scan(&p.SignedInAt, &p.SeenAt, &p.SecondAt, &p.Data, &userID, &tillID,
				&p.Epochs.Settings, &p.Epochs.Shifts)
		},
	}, asked...)
	if err != nil || !live {
		return Presence{}, nil, false, unreadable(err)
	}
	// Disabling or moving somebody, or renaming a place, raises the epoch in the same transaction.
	if err := s.refersTo(store.WithEpochs(ctx, p.Epochs), &p, userID, tillID); err != nil {
		return Presence{}, nil, false, unreadable(err)
	}
	p.NeedSecond = s.needsSecond(p.User, p.Rule, p.SecondAt)
	return p, ahead, true, nil
}

// needsSecond says whether a user must set up a second factor before anything else. given is when they last gave one:
// if they have none here, only the identity provider can have asked for it.
func (s *Service) needsSecond(u User, rule Rule, given *time.Time) bool {
	return rule.SecondFactor && !u.HasSecond() && given == nil && !s.d.SecondOptional
}

const presentSQL = `SELECT sessions.created_at, sessions.seen_at, sessions.second_at, sessions.data,
users.id, COALESCE(sessions.till_id, ''),
(SELECT n FROM epochs WHERE name = 'settings'), (SELECT n FROM epochs WHERE name = 'shifts') FROM sessions
JOIN users ON users.id = sessions.user_id AND users.epoch = sessions.epoch AND users.disabled_at IS NULL
WHERE sessions.token_hash = ? AND sessions.created_at > ? AND sessions.seen_at > ?`

// refersTo reads what a session refers to: whose it is, what their role needs, where they are.
func (s *Service) refersTo(ctx context.Context, p *Presence, userID, tillID string) (err error) {
	if p.User, err = s.User(ctx, userID); err != nil {
		return err
	}
	if p.Rule, err = s.rule(ctx, p.User.Role); err != nil || p.User.ShopID == "" {
		return err
	}
	if p.Shop, err = s.Shop(ctx, p.User.ShopID); err != nil || tillID == "" {
		return err
	}
	till, err := s.Till(ctx, tillID)
	if till.ShopID == p.Shop.ID { // they may have moved to another shop since they chose it
		p.Till = till
	}
	return err
}

// alive is the only place that says which sessions are valid.
func (s *Service) alive(ctx context.Context) *gorm.DB {
	now := s.now()
	return s.d.DB.Read(ctx).Table("sessions").
		Joins(
			"JOIN users ON users.id = sessions.user_id AND users.epoch = sessions.epoch AND users.disabled_at IS NULL",
		).
		Where("sessions.created_at > ? AND sessions.seen_at > ?", now.Add(-SessionAbsolute), now.Add(-SessionIdle))
}

func unreadable(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(err, fault.Unavailable, "database.away")
}

// Touch notes that a person has just used the session. It writes at most once a minute.
func (s *Service) Touch(ctx context.Context, token string, p Presence) error {
	now := s.now()
	if now.Sub(p.SeenAt) < sessionTouch {
		return nil
	}
	return fault.Doing(
		"touch session",
		s.d.DB.Exec(
			ctx, "UPDATE sessions SET seen_at = ? WHERE token_hash = ? AND seen_at < ?", now, hashToken(token), now,
		),
	)
}

// longestAgent is how much is stored of what a browser calls itself, in bytes.
const longestAgent = 300

// OwnSession is one of a user's sessions, as they see it.
type OwnSession struct {
	ID        string // the hash of its token: names it and opens nothing
	Address   string // where it began
	Agent     string // what the browser called itself
	Till      string // "" away from a till
	CreatedAt time.Time
	SeenAt    time.Time
	Here      bool // it is the one that asks
}

// OwnSessions returns a user's live sessions, the newest first; token is that of the one that asks.
func (s *Service) OwnSessions(ctx context.Context, userID, token string) ([]OwnSession, error) {
	const session = "sessions.token_hash AS id, sessions.address, sessions.agent, COALESCE(tills.name, '') AS till, " +
		"sessions.created_at, sessions.seen_at, sessions.token_hash = ? AS here"
	all, err := store.All[OwnSession](s.alive(ctx).Select(session, hashToken(token)).
		Joins("LEFT JOIN tills ON tills.id = sessions.till_id").
		Where("sessions.user_id = ?", userID).Order("sessions.created_at DESC, sessions.token_hash"))
	return all, fault.Doing("list own sessions", err)
}

// EndOwnSessions ends one of the actor's sessions ("": all), but never the one that asks. It is no error if it is over
// already.
func (s *Service) EndOwnSessions(ctx context.Context, by audit.Actor, token, id string) error {
	return fault.Doing("end own sessions", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		ended := tx.Exec("DELETE FROM sessions WHERE user_id = ? AND token_hash <> ? AND (token_hash = ? OR ? = '')",
			by.UserID, hashToken(token), id, id)
		if ended.Error != nil || ended.RowsAffected == 0 {
			return ended.Error
		}
		return s.note(ctx, tx, by, audit.UserSessionsEnded, by.UserID, audit.Count("sessions", ended.RowsAffected))
	}))
}
