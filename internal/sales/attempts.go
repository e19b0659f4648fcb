package sales

import (
	"context"
	"time"

	"gorm.io/gorm"

	"airtill/internal/apiclient"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// OldAttempt is an attempt replaced by a later one. It was given up for good reason, but the upstream may have
// executed it all the same.
type OldAttempt struct {
	Ref      string
	SaleID   string
	PermitAt time.Time
}

// DueAttempts returns the replaced attempts to look for now, the oldest due first.
func (s *Service) DueAttempts(ctx context.Context, most int) ([]OldAttempt, error) {
	due, err := store.All[OldAttempt](s.d.DB.Read(ctx).Table("attempts").
		Where("next_check_at <= ?", store.Moment(s.d.Now())).Order("next_check_at").Limit(most))
	return due, fault.Doing("find due attempts", err)
}

// LookedFor takes what the list has of a replaced attempt, and sets when to look again.
func (s *Service) LookedFor(ctx context.Context, a OldAttempt, items []apiclient.TransferRecordWithErrorCodes) error {
	if len(items) > 0 {
		sale, err := s.Get(ctx, a.SaleID, "")
		if err == nil {
			_, err = s.observeRef(ctx, sale, a.Ref, items)
		}
		if err != nil {
			return err
		}
	}
	return s.PutOff(ctx, a, oldAttemptCheck(a.PermitAt, s.d.Now()))
}

// PutOff sets another time to look for a replaced attempt, nil for never, unless it was settled meanwhile.
func (s *Service) PutOff(ctx context.Context, a OldAttempt, until *time.Time) error {
	return fault.Doing("put off attempt", s.d.DB.Exec(
		ctx, "UPDATE attempts SET next_check_at = ? WHERE ref = ? AND late = ? AND next_check_at <= ?",
		until, a.Ref, false, store.Moment(s.d.Now()),
	))
}

// undecidedFor is when to look again at an old attempt that was executed while the later one is under way.
const undecidedFor = 2 * time.Minute

// tellsOfOld says whether an observation decides about an attempt other than the current one. What a webhook
// or reply says of it is only a hint.
func tellsOfOld(tx *store.Tx, saleID string, o Observation) (bool, error) {
	late, err := store.First[bool](tx.Raw("SELECT late FROM attempts WHERE ref = ? AND sale_id = ?", o.Ref, saleID))
	return o.Cause == Listed && late != nil && !*late, err
}

func lookAgainForOld(tx *store.Tx, o Observation) error {
	return tx.Exec(
		"UPDATE attempts SET next_check_at = ? WHERE ref = ?", store.Moment(o.At.Add(undecidedFor)), o.Ref,
	).Error
}

// wentThrough refuses to give back the cash of a sale of which a replaced attempt is known to have been carried out
// but is not booked yet: the later one was under way then. Each such look sets the next one soon; a later look that
// finds it undone puts the attempt off.
func (s *Service) wentThrough(tx *store.Tx, sale *Sale) error {
	known, err := s.knownEarlier(tx.DB, sale)
	if err == nil && known {
		err = fault.New(fault.Conflict, "sale.earlier-sent")
	}
	return err
}

// EarlierSent says whether a replaced attempt of a sale is known to have been carried out but is not booked yet. Until
// it is, no cash can be given back.
func (s *Service) EarlierSent(ctx context.Context, sale *Sale) (bool, error) {
	known, err := s.knownEarlier(s.d.DB.Read(ctx), sale)
	return known, fault.Doing("read earlier attempts", err)
}

func (s *Service) knownEarlier(db *gorm.DB, sale *Sale) (known bool, err error) {
	if !sale.Stopped || sale.Attempt < 2 {
		return false, nil
	}
	return store.Value[bool](db.Raw(`SELECT EXISTS (SELECT 1 FROM attempts a
JOIN sale_events e ON e.sale_id = a.sale_id AND e.ref = a.ref
WHERE a.sale_id = ? AND a.ref <> ? AND a.late = ? AND a.next_check_at <= ? AND e.cause = ? AND e.seq > (
SELECT MAX(seq) FROM sale_events WHERE sale_id = a.sale_id AND cause = ?))`,
		sale.ID, sale.Ref, false, store.Moment(s.d.Now().Add(undecidedFor)), Listed, TriedAgain))
}

// lookNowStatement has the replaced attempts looked for at once that were found carried out while a later one was under
// way, which has come to nothing.
func lookNowStatement(sale *Sale, at time.Time) store.Statement {
	return store.Statement{
		SQL: "UPDATE attempts SET next_check_at = ? " +
			"WHERE sale_id = ? AND ref <> ? AND late = ? AND next_check_at > ? AND next_check_at <= ?",
		Args: []any{at, sale.ID, sale.Ref, false, at, at.Add(undecidedFor)},
	}
}
