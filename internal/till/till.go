// Package till keeps shifts: a drawer from the counted float to the counted
// close.
package till

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/oklog/ulid/v2"
	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/store"
)

// Shift is one row of the table shifts. Amounts are millionths of Currency.
type Shift struct {
	ID            string
	ShopID        string
	TillID        string
	Number        int // of this till, from 1
	CashierID     string
	Currency      money.Currency
	OpeningMicros int64
	OpenedAt      time.Time
	ClosedAt      *time.Time
	ClosedBy      *string
	CountedMicros *int64
}

// Opening is the float the drawer began with.
func (s Shift) Opening() money.Amount { return money.Of(s.OpeningMicros, s.Currency) }

// Deps is what the Service needs.
type Deps struct {
	DB     *store.DB
	Ledger *ledger.Ledger
	Now    func() time.Time
}

// Service opens and finds shifts.
type Service struct{ Deps }

// New returns a service.
func New(d Deps) *Service { return &Service{d} }

// Open opens a shift at a till with a counted float, which comes out of the
// safe. It fails with fault.Conflict if the till has one open already.
func (s *Service) Open(ctx context.Context, shopID, tillID, cashierID string, float money.Amount) (Shift, error) {
	if float.Sign() < 0 {
		return Shift{}, fault.OnField("float", "The float cannot be less than nothing.")
	}
	now := store.Moment(s.Now())
	shift := Shift{
		ID: ulid.MustNew(ulid.Timestamp(now), rand.Reader).String(), ShopID: shopID, TillID: tillID, CashierID: cashierID,
		Currency: float.Currency(), OpeningMicros: float.Micros(), OpenedAt: now,
	}
	err := s.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Raw("SELECT COALESCE(MAX(number), 0) + 1 FROM shifts WHERE till_id = ?", tillID).Scan(&shift.Number).Error; err != nil {
			return err
		}
		if err := tx.Create(&shift).Error; err != nil {
			return err
		}
		return ledger.Post(ctx, tx, ledger.Entry{Key: "shift/" + shift.ID, At: now, Journal: ledger.DrawerOpened(shift.ID, float)})
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return Shift{}, fault.New(fault.Conflict, "A shift is open at this till already.")
	}
	if err != nil {
		return Shift{}, fmt.Errorf("open shift: %w", err)
	}
	return shift, nil
}

// Current returns the shift that is open at a till, nil if none is.
func (s *Service) Current(ctx context.Context, tillID string) (*Shift, error) {
	var found []Shift
	if err := s.DB.Read(ctx).Where("till_id = ? AND closed_at IS NULL", tillID).Find(&found).Error; err != nil {
		return nil, fmt.Errorf("find shift: %w", err)
	}
	if len(found) == 0 {
		return nil, nil
	}
	return &found[0], nil
}

// Cash returns what the drawer of a shift must hold by the books.
func (s *Service) Cash(ctx context.Context, shift Shift) (money.Amount, error) {
	return s.Ledger.Balance(ctx, ledger.TillOf(shift.ID), shift.Currency)
}
