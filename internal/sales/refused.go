package sales

import (
	"context"
	"fmt"
	"time"

	"airtill/internal/store"
)

// refusedKept is how long it is known which webhooks were refused.
const refusedKept = 7 * 24 * time.Hour

// RefusedNotices is how many webhooks were refused in one minute for one reason.
type RefusedNotices struct {
	Minute time.Time
	Reason string
	Count  int
}

// NoteRefused counts refused webhooks, by reason, as of now. Anyone can send those:
// the caller gathers many before it asks for a write.
func (s *Service) NoteRefused(ctx context.Context, counts map[string]int) error {
	now := store.Moment(s.Now())
	err := s.DB.Tx(ctx, func(tx *store.Tx) error {
		for reason, n := range counts {
			err := tx.Exec(`INSERT INTO webhook_refusals (minute, reason, count) VALUES (?, ?, ?)
				ON CONFLICT (minute, reason) DO UPDATE SET count = webhook_refusals.count + excluded.count`, now.Truncate(time.Minute), reason, n).Error
			if err != nil {
				return err
			}
		}
		return tx.Exec("DELETE FROM webhook_refusals WHERE minute < ?", now.Add(-refusedKept)).Error
	})
	if err != nil {
		return fmt.Errorf("note refused webhooks: %w", err)
	}
	return nil
}

// RefusedNotices returns what was refused since a time, in the order of the minutes.
func (s *Service) RefusedNotices(ctx context.Context, since time.Time) ([]RefusedNotices, error) {
	var all []RefusedNotices
	err := s.DB.Read(ctx).Raw("SELECT minute, reason, count FROM webhook_refusals WHERE minute >= ? ORDER BY minute, reason", since).Scan(&all).Error
	if err != nil {
		return nil, fmt.Errorf("refused webhooks: %w", err)
	}
	return all, nil
}
