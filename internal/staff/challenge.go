package staff

import (
	"context"
	"encoding/json"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// challengeWithin is how long a browser has to come back with an answer.
const challengeWithin = 5 * time.Minute

// challenge stores what an answer will be checked against, and returns a token for the browser that will bring it.
func (s *Service) challenge(ctx context.Context, asked any) (token string, err error) {
	text, err := json.Marshal(asked)
	if err != nil {
		return "", fault.Doing("store challenge", err)
	}
	token = newToken()
	return token, fault.Doing("store challenge", s.d.DB.Exec(ctx,
		"INSERT INTO challenges (token_hash, asked, began_at) VALUES (?, ?, ?)",
		hashToken(token), string(text), s.now()))
}

// takeChallenge reads what was stored for a token, and fails with none if there is nothing. The first answer uses it
// up, right or wrong, whichever process gets it.
func (s *Service) takeChallenge(ctx context.Context, token string, into any, none error) error {
	return fault.Doing("take challenge", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		text, err := store.One[string](tx.Table("challenges").Select("asked").
			Where("token_hash = ? AND began_at > ?", hashToken(token), s.now().Add(-challengeWithin)), none)
		if err != nil {
			return err
		}
		if err := tx.MustExec(none, "DELETE FROM challenges WHERE token_hash = ?", hashToken(token)); err != nil {
			return err
		}
		return json.Unmarshal([]byte(text), into)
	}))
}
