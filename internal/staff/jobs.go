package staff

import (
	"context"
	"time"

	"airtill/internal/fault"
	"airtill/internal/jobs"
	"airtill/internal/store"
)

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
