package staff

import (
	"context"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

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
