package till

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/failpoint"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
)

// Ending is a request to close a counted drawer.
type Ending struct {
	Key     string // of the form; the same key counts once, and only as it counted first
	Actor   audit.Actor
	ShopID  string // of the actor
	ShiftID string
	Count   Count
	// Left stays in the drawer as the next float; nil: as much as at the beginning.
	Left *money.Amount
}

// counted is one row of the table drawer_counts.
type counted struct {
	ShiftID        string
	Seq            int
	FormKey        string
	UserID         string
	At             time.Time
	Piles          string // JSON
	CountedMicros  int64
	ExpectedMicros int64
}

// TableName is read by GORM.
func (counted) TableName() string { return "drawer_counts" }

// Close counts a drawer and closes its shift, in one transaction: the count, the difference to the books
// (J17), the cash into the safe (J20), the report.
//
// The count is blind. If it differs from the books, it only goes on record and recount is true: the drawer
// must be counted again, and that count is final. If cash moved in between, the books expect something else,
// and the next count is a first one again.
//
// It fails with fault.Invalid on the fields "count" and "left", and with fault.Conflict if another form closed
// the shift.
func (s *Service) Close(ctx context.Context, e Ending) (shift Shift, recount bool, err error) {
	sum, err := e.Count.Sum()
	if err != nil {
		return Shift{}, false, onField(err, "count")
	}
	if e.Key == "" {
		return Shift{}, false, fault.New(fault.Invalid, "page.too-old-to-close")
	}
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		var err error
		if shift, err = lock(tx, e.ShiftID, e.ShopID); err != nil {
			return err
		}
		recount, err = s.count(ctx, tx, &shift, e, sum)
		return err
	})
	return shift, recount, fault.Doing("close shift", err)
}

// Recount says whether an open drawer was counted differently from the books and no cash has moved since.
func (s *Service) Recount(ctx context.Context, shift Shift) (bool, error) {
	last, err := store.First[counted](s.d.DB.Read(ctx).Where("shift_id = ?", shift.ID).Order("seq DESC"))
	if err != nil {
		return false, fmt.Errorf("find count: %w", err)
	}
	if last == nil {
		return false, nil
	}
	expected, err := s.Cash(ctx, shift)
	return expected.Micros() == last.ExpectedMicros, err
}

// count records a count and ends the shift if it may.
func (s *Service) count(
	ctx context.Context, tx *store.Tx, shift *Shift, e Ending, sum money.Amount,
) (recount bool, err error) {
	earlier, err := store.All[counted](tx.Where("shift_id = ?", shift.ID).Order("seq"))
	if err != nil {
		return false, err
	}
	used := slices.IndexFunc(earlier, func(c counted) bool { return c.FormKey == e.Key })
	switch {
	case used >= 0 && earlier[used].CountedMicros == sum.Micros(): // the same form again
		return !shift.Closed(), nil
	case shift.Closed():
		return false, fault.New(fault.Conflict, "shift.closed")
	case used >= 0:
		return false, fault.OnField("count", "count.recorded")
	}
	if sum.Currency() != shift.Currency {
		return false, fault.OnField("count", "drawer.currency", shift.Currency)
	}
	report, err := s.report(tx.DB, *shift, s.now())
	if err != nil {
		return false, err
	}
	if err := recordCount(tx, e, report, sum, len(earlier)+1); err != nil {
		return false, err
	}
	again := len(earlier) > 0 && earlier[len(earlier)-1].ExpectedMicros == report.Expected
	if sum.Micros() != report.Expected && !again {
		return true, nil
	}
	report.Closing = &Closing{
		Counts: len(earlier) + 1, Piles: e.Count.Piles, Loose: e.Count.Loose.Micros(), Counted: sum.Micros(),
	}
	return false, s.end(ctx, tx, shift, e, report)
}

func recordCount(tx *store.Tx, e Ending, r Report, sum money.Amount, seq int) error {
	piles, err := json.Marshal(e.Count.Piles)
	if err != nil {
		return err
	}
	return tx.Create(&counted{
		ShiftID: r.ShiftID, Seq: seq, FormKey: e.Key, UserID: e.Actor.UserID, At: r.At, Piles: string(piles),
		CountedMicros: sum.Micros(), ExpectedMicros: r.Expected,
	}).Error
}

// end books the count and closes the shift.
func (s *Service) end(ctx context.Context, tx *store.Tx, shift *Shift, e Ending, r Report) error {
	c := r.Closing
	c.Difference = c.Counted - r.Expected
	var err error
	if c.Left, err = left(e, r); err != nil {
		return err
	}
	c.Banked = c.Counted - c.Left
	entry := func(j ledger.Journal) ledger.Entry {
		return ledger.Entry{Key: "shift/" + shift.ID + "/close", At: r.At, Journal: j}
	}
	// All counted cash is the safe's until the next shift takes its float, wherever it lies overnight.
	if err := ledger.Post(
		ctx, tx, entry(ledger.CountDifference(shift.ID, r.Amount(c.Difference))),
		entry(ledger.CashToSafe(shift.ID, r.Amount(c.Counted))),
	); err != nil {
		return err
	}
	shift.ClosedAt, shift.ClosedBy, shift.CountedMicros, shift.LeftMicros = &r.At, &e.Actor.UserID, &c.Counted, &c.Left
	const closed = "UPDATE shifts SET closed_at = ?, closed_by = ?, counted_micros = ?, left_micros = ? WHERE id = ?"
	if err := tx.Exec(closed, r.At, e.Actor.UserID, c.Counted, c.Left, shift.ID).Error; err != nil {
		return err
	}
	failpoint.Hit("K14")
	if err := s.file(tx, *shift, e, r); err != nil {
		return err
	}
	return s.d.Audit.Write(ctx, tx, audit.Entry{
		Actor: e.Actor, Act: audit.ShiftClosed, Subject: audit.Of(audit.Shift, shift.ID),
		Facts: audit.Facts{
			audit.Count("number", shift.Number), audit.Money("expected", r.Amount(r.Expected)),
			audit.Money("counted", r.Amount(c.Counted)), audit.Count("counts", c.Counts),
			audit.Money("difference", r.Amount(c.Difference)),
		},
	})
}

// left is the float that stays in the drawer.
func left(e Ending, r Report) (int64, error) {
	if e.Left == nil {
		return min(r.Opening, r.Closing.Counted), nil
	}
	if e.Left.Currency() != r.Currency || e.Left.Sign() < 0 || e.Left.Micros() > r.Closing.Counted {
		return 0, fault.OnField("left", "count.left")
	}
	return e.Left.Micros(), nil
}
