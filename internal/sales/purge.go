package sales

import (
	"context"
	"errors"
	"fmt"
	"time"

	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/jobs"
	"airtill/internal/store"
)

const (
	// KeepReceiptsLeast is how long sealed receipts are retained at least: until then the upstream's list has
	// them too.
	KeepReceiptsLeast = 61 * 24 * time.Hour
	keepStops         = 400 * 24 * time.Hour
	purgeAtOnce       = 500
)

// Purge deletes what must not be stored for ever: sealed receipts and webhook bodies, which may hold PINs,
// once nobody can redeem them any more, and old stops of limits. Rows, states and the PIN's last digits stay.
func (s *Service) Purge(ctx context.Context) error {
	if err := s.indexSerials(ctx); err != nil { // while the receipts are there
		return err
	}
	now := s.d.Now()
	purged, err := s.purgeReceipts(ctx, now)
	if purged > 0 { // those are gone, also where the time for all of them was too short
		err = errors.Join(err, s.notePurge(context.WithoutCancel(ctx), purged))
	}
	if err == nil {
		err = s.purgeBodies(ctx, now)
	}
	if err != nil {
		return err
	}
	err = s.d.DB.Exec(ctx, "DELETE FROM limit_stops WHERE at < ?", store.Moment(now.Add(-keepStops)))
	return fault.Doing("purge stops of limits", err)
}

// purgeBodies deletes what webhooks said, a batch at a time: on SQLite a sale waits for whoever writes.
func (s *Service) purgeBodies(ctx context.Context, now time.Time) error {
	expired := store.Moment(now.Add(-s.keep("")))
	for {
		ids, err := store.All[string](s.d.DB.Read(ctx).Table("webhooks").Select("id").
			Where("sealed_body <> '' AND received_at < ?", expired).Order("received_at").Limit(purgeAtOnce))
		if err == nil && len(ids) > 0 {
			err = s.d.DB.Exec(ctx, "UPDATE webhooks SET sealed_body = '' WHERE id IN ?", ids)
		}
		if err != nil || len(ids) < purgeAtOnce {
			return fault.Doing("purge webhooks", err)
		}
	}
}

// purgeReceipts returns how many receipts it deleted, also if it fails.
func (s *Service) purgeReceipts(ctx context.Context, now time.Time) (purged int, err error) {
	for after := ""; ; {
		batch, last, err := s.purgeable(ctx, after, now)
		if err == nil {
			err = s.purge(ctx, batch)
		}
		if err != nil {
			return purged, err
		}
		purged += len(batch)
		if last == "" {
			return purged, nil
		}
		after = last
	}
}

func (s *Service) notePurge(ctx context.Context, receipts int) error {
	return s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: audit.Command("purge"), Act: audit.ReceiptsPurged, Subject: audit.AllSales,
			Facts: audit.Facts{audit.Count("receipts", receipts)},
		})
	})
}

// mostYears is the longest that a product can be redeemed, as far as a duration can tell.
const mostYears = 100

// keep is how long after a sale's end its sealed receipt is retained: while the product can be redeemed, and
// at least as long as the setting.
func (s *Service) keep(validity string) time.Duration {
	keep := max(s.d.KeepReceipts, KeepReceiptsLeast)
	if p, err := apiclient.ParseDuration(validity); err == nil {
		days := min(p.Years, mostYears)*366 + min(p.Months, mostYears*12)*31 + min(p.Days, mostYears*366)
		keep = max(keep, p.Time+time.Duration(min(days, mostYears*366))*24*time.Hour)
	}
	return keep
}

// purgeable returns a batch of sales whose receipts have expired, and where to go on, "" at the end.
func (s *Service) purgeable(ctx context.Context, after string, now time.Time) (ids []string, last string, err error) {
	rows, err := store.All[Sale](s.d.DB.Read(ctx).Select("id, validity, final_at").
		Where("id > ? AND id < ? AND sealed_receipt <> '' AND final_at IS NOT NULL",
			after, store.NewID(now.Add(-s.keep("")))).
		Order("id").Limit(purgeAtOnce))
	if err != nil {
		return nil, "", fmt.Errorf("find receipts to purge: %w", err)
	}
	for _, sale := range rows {
		if now.Sub(*sale.FinalAt) > s.keep(sale.Validity) {
			ids = append(ids, sale.ID)
		}
	}
	if len(rows) == purgeAtOnce {
		last = rows[len(rows)-1].ID
	}
	return ids, last, nil
}

func (s *Service) purge(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	err := s.d.DB.Exec(ctx, "UPDATE sales SET sealed_receipt = '' WHERE id IN ?", ids)
	return fault.Doing("purge receipts", err)
}

// Jobs delete receipts whose time is over; the first run may have years to go through.
func (s *Service) Jobs() []jobs.Job {
	return []jobs.Job{
		jobs.Periodic{Kind: "sales.purge", Every: 6 * time.Hour, Timeout: 10 * time.Minute, Do: s.Purge, Lasting: true},
	}
}
