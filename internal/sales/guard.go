package sales

import (
	"context"
	"time"

	"gorm.io/gorm"

	"airtill/internal/counter"
	"airtill/internal/fault"
	"airtill/internal/limit"
	"airtill/internal/store"
	"airtill/internal/till"
)

// guard checks what two cashiers at once could break, and what the till's rules
// do not allow.
func (s *Service) guard(ctx context.Context, db *gorm.DB, sale *Sale, offer counter.Offer, allowed *allowing) error {
	if sale.Practice {
		return nil // all of a product go to one number, and to nobody
	}
	day := offer.Seller().Day
	if err := guardSame(db, sale, offer.Confirmed(), s.Now(), allowed.pass); err != nil {
		return err
	}
	if err := s.Limits.CheckSale(db, sale.measured(), day, allowed.pass); err != nil {
		return err
	}
	return s.guardFloat(ctx, db, sale, day)
}

func (s *Service) guardFloat(ctx context.Context, db *gorm.DB, sale *Sale, day time.Time) error {
	total, err := sale.Quoted().Total()
	if err != nil {
		return err
	}
	return s.Limits.CheckFloat(ctx, db, sale.ShopID, total, day)
}

// measured is a new sale as limits measure it.
func (s *Sale) measured() limit.Act {
	act := limit.Act{
		Name: s.ParamsHash, SaleID: s.ID, ShopID: s.ShopID, TillID: s.TillID, CashierID: s.CashierID,
		SKUCode: s.SKUCode, Price: s.Price(),
	}
	if s.Addressed() {
		act.AccountNumber = s.AccountNumber
	}
	return act
}

// holdShift keeps the drawer open until the sale's cash is booked in it.
func holdShift(tx *store.Tx, sale *Sale) error {
	shift, err := till.Hold(tx, sale.ShiftID)
	if fault.KindOf(err) == fault.Conflict || err == nil && shift.TillID != sale.TillID {
		return fault.New(fault.Conflict, "shift.closed-unsold")
	}
	return err
}

// guardSame refuses a sale whose twin is still open, and asks about one that
// was already made today. A second PIN is asked about alone: it takes nothing
// from the first.
func guardSame(db *gorm.DB, sale *Sale, said counter.Confirmation, now time.Time, pass func(error) error) error {
	open, same, err := twins(db, *sale, now)
	switch {
	case err != nil:
		return err
	case open != nil:
		return pass(&UnknownError{Earlier: *open})
	case same != nil && !said.Again && said.Approver.ID == "":
		return &DuplicateError{Earlier: *same}
	}
	return nil
}
