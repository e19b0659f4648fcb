package till

import (
	"context"
	"crypto/rand"
	"errors"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/store"
)

// Opening is what a shift begins with.
type Opening struct {
	Key    string // of the form; the same key opens one shift, "" always a new one
	Actor  audit.Actor
	ShopID string
	TillID string
	Float  Count // the cash counted in the drawer
}

// Open opens a shift with a counted float, which comes out of the safe. It fails with fault.Conflict if the till has an
// open shift or is out of use or the key was used at another till, and with fault.Invalid on the field "float". A used
// key returns its shift, which may be closed by now.
func (s *Service) Open(ctx context.Context, o Opening) (Shift, error) {
	float, err := o.Float.Sum()
	if err != nil {
		return Shift{}, onField(err, "float")
	}
	if earlier, found, err := s.openedBy(ctx, o); err != nil || found {
		return earlier, err
	}
	now := s.now()
	shift := Shift{
		ID: store.NewID(now), ShopID: o.ShopID, TillID: o.TillID, CashierID: o.Actor.UserID, Currency: float.Currency(),
		OpeningMicros: float.Micros(), OpenedAt: now, OpenKey: key(o.Key), Seat: rand.Text(), SeatBy: o.Actor.UserID,
		SeatAt: &now,
	}
	err = s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if shift.Number, err = nextAt(tx, o.TillID); err != nil {
			return err
		}
		if err := tx.Create(&shift).Error; err != nil {
			return err
		}
		if err := ledger.Post(ctx, tx, ledger.Entry{
			Key: "shift/" + shift.ID, At: now, Journal: ledger.DrawerOpened(shift.ID, float),
		}); err != nil {
			return err
		}
		return s.d.Audit.Write(ctx, tx, audit.Entry{
			Actor: o.Actor, Act: audit.ShiftOpened, Subject: audit.Of(audit.Shift, shift.ID), Facts: audit.Facts{
				audit.AtTill(o.TillID), audit.Count("number", shift.Number), audit.Money("float", float),
			},
		})
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) { // two opened at once, by one form or by two
		if same, found, err := s.openedBy(ctx, o); err != nil || found {
			return same, err
		}
		return Shift{}, fault.New(fault.Conflict, "shift.open")
	}
	return shift, fault.Doing("open shift", err)
}

// nextAt is the number of a till's next shift; a till that is out of use has none (fault.Conflict).
func nextAt(tx *store.Tx, tillID string) (number int, err error) {
	retired, err := store.Some(tx.Table("tills").Where("id = ? AND retired_at IS NOT NULL", tillID))
	if err != nil {
		return 0, err
	}
	if retired {
		return 0, fault.New(fault.Conflict, "till.retired")
	}
	err = tx.Raw("SELECT COALESCE(MAX(number), 0) + 1 FROM shifts WHERE till_id = ?", tillID).Scan(&number).Error
	return number, err
}

// openedBy returns the shift a form has already opened, if any. At another till it opens no other.
func (s *Service) openedBy(ctx context.Context, o Opening) (same Shift, found bool, err error) {
	opened, err := first(s.d.DB.Read(ctx).Where("open_key = ?", o.Key))
	switch {
	case err != nil || opened == nil:
		return same, false, err
	case opened.TillID != o.TillID:
		return same, false, fault.New(fault.Conflict, "page.used")
	}
	return *opened, true, nil
}

func key(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// onField points a fault at the form field it is about.
func onField(err error, field string) error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	told := *f
	told.Field = field
	return &told
}

// Take gives the seat of a person (from) at an open shift to somebody else: from now on they answer for its drawer, and
// browsers that worked in it stop. If another sits there by now, nothing changes and the shift is returned as it is.
func (s *Service) Take(ctx context.Context, by audit.Actor, shiftID, shopID, from string) (Shift, error) {
	var shift Shift
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		var err error
		if shift, err = lock(tx, shiftID, shopID); err != nil {
			return err
		}
		switch {
		case shift.Closed():
			return errClosed
		case shift.SeatBy != from:
			return nil
		}
		now := s.now()
		shift.Seat, shift.SeatBy, shift.SeatAt = rand.Text(), by.UserID, &now
		taken := tx.Exec(
			"UPDATE shifts SET seat = ?, seat_by = ?, seat_at = ? WHERE id = ?", shift.Seat, by.UserID, now, shift.ID,
		)
		return s.d.Audit.WriteIf(ctx, tx, taken, audit.Entry{
			Actor: by, Act: audit.TillTakenOver, Subject: audit.Of(audit.Shift, shift.ID),
			Facts: audit.Between(audit.Facts{audit.Person("user", from)}, audit.Facts{audit.Person("user", by.UserID)}),
		})
	})
	return shift, fault.Doing("take till over", err)
}
