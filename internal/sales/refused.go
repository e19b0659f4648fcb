package sales

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

const (
	refusedKept     = 7 * 24 * time.Hour  // by the minute, for alerts
	refusedDaysKept = 90 * 24 * time.Hour // by the day, to be read
	aDay            = 24 * time.Hour
)

// Refused is how many webhooks were refused for one reason, and when the last was.
type Refused struct {
	Reason string
	Count  int
	LastAt time.Time
}

// RefusedNotices is how many webhooks were refused for one reason in one minute.
type RefusedNotices struct {
	Minute time.Time
	Reason string
	Count  int
}

// RefusedSums is how many webhooks were refused for one reason in the last days, in UTC, with today.
type RefusedSums struct {
	Reason      string
	Week, Month int // 7 and 30 days
	LastAt      time.Time
}

// NoteRefused adds refused webhooks, each reason once. Anyone can send those, so the caller gathers many
// before it writes.
func (s *Service) NoteRefused(ctx context.Context, all []Refused) error {
	// in a fixed order, to avoid deadlocks between processes
	all = slices.SortedFunc(slices.Values(all), func(a, b Refused) int { return cmp.Compare(a.Reason, b.Reason) })
	return fault.Doing("note refused webhooks", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		for _, r := range all {
			if err := r.add(tx); err != nil {
				return err
			}
		}
		now := store.Moment(s.d.Now())
		if err := tx.Exec("DELETE FROM webhook_refusals WHERE minute < ?", now.Add(-refusedKept)).Error; err != nil {
			return err
		}
		return tx.Exec("DELETE FROM webhook_refusal_days WHERE day < ?", now.Add(-refusedDaysKept)).Error
	}))
}

func (r Refused) add(tx *store.Tx) error {
	last := store.Moment(r.LastAt)
	err := tx.Exec(`INSERT INTO webhook_refusals (minute, reason, count) VALUES (?, ?, ?)
		ON CONFLICT (minute, reason) DO UPDATE
		SET count = webhook_refusals.count + excluded.count`, last.Truncate(time.Minute), r.Reason, r.Count).Error
	if err != nil {
		return err
	}
	return tx.Exec(`INSERT INTO webhook_refusal_days AS known (day, reason, count, last_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (day, reason) DO UPDATE SET count = known.count + excluded.count,
			last_at = CASE WHEN excluded.last_at > known.last_at THEN excluded.last_at
			ELSE known.last_at END`, last.Truncate(aDay), r.Reason, r.Count, last).Error
}

// RefusedNotices returns what was refused since a time, in order of minutes.
func (s *Service) RefusedNotices(ctx context.Context, since time.Time) ([]RefusedNotices, error) {
	all, err := store.All[RefusedNotices](s.d.DB.Read(ctx).Raw(
		"SELECT minute, reason, count FROM webhook_refusals WHERE minute >= ? ORDER BY minute, reason", since,
	))
	return all, fault.Doing("refused webhooks", err)
}

// RefusedSince sums what was refused since a time, at most a week ago, by reason.
func (s *Service) RefusedSince(ctx context.Context, since time.Time) (map[string]int64, error) {
	sums, err := store.Pairs[string, int64](s.d.DB.Read(ctx).Raw(
		"SELECT reason, SUM(count) FROM webhook_refusals WHERE minute >= ? GROUP BY reason", since,
	))
	return sums, fault.Doing("sum of refused webhooks", err)
}

// Received is a webhook that was accepted.
type Received struct {
	ReceivedAt, SignedAt time.Time
	Encrypted            bool
	Ref, SaleID, Verdict string
}

// Foreign says whether it was about none of our sales.
func (r Received) Foreign() bool { return Verdict(r.Verdict) != Applied }

// Received returns the latest webhooks, the newest first.
func (s *Service) Received(ctx context.Context, limit int) ([]Received, error) {
	const sql = "SELECT received_at, signed_at, encrypted, ref, sale_id, verdict FROM webhooks ORDER BY id DESC LIMIT ?"
	latest, err := store.All[Received](s.d.DB.Read(ctx).Raw(sql, limit))
	return latest, fault.Doing("list webhooks", err)
}

// RefusedSums returns what was refused in the last 90 days, by reason, the latest first.
func (s *Service) RefusedSums(ctx context.Context) ([]RefusedSums, error) {
	today := store.Moment(s.d.Now()).Truncate(aDay)
	var days []struct {
		Day    time.Time
		Reason string
		Count  int
		LastAt time.Time
	}
	err := s.d.DB.Read(ctx).Raw(
		"SELECT day, reason, count, last_at FROM webhook_refusal_days WHERE day >= ? ORDER BY last_at DESC, reason",
		today.Add(-refusedDaysKept),
	).Scan(&days).Error
	if err != nil {
		return nil, fmt.Errorf("sums of refused webhooks: %w", err)
	}
	var all []RefusedSums
	for _, d := range days {
		i := slices.IndexFunc(all, func(r RefusedSums) bool { return r.Reason == d.Reason })
		if i < 0 {
			i, all = len(all), append(all, RefusedSums{Reason: d.Reason, LastAt: d.LastAt})
		}
		if d.Day.After(today.Add(-7 * aDay)) {
			all[i].Week += d.Count
		}
		if d.Day.After(today.Add(-30 * aDay)) {
			all[i].Month += d.Count
		}
	}
	return all, nil
}
