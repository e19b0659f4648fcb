package sales

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/ledger"
)

var (
	errFloat     = fault.New(fault.Unavailable, "The float is too low for this sale. Nothing was sold. Do not take cash. Tell your manager.")
	errFloatKept = fault.New(fault.Unavailable, "What is left of the float is kept for other shops. Nothing was sold. Do not take cash. Tell your manager.")
	errFloatGone = fault.New(fault.Unavailable, "The float is used up. Nothing was sold. Do not take cash. Selling goes on by itself as soon as it is topped up.")
)

// guardFloat refuses before money is taken what the upstream would refuse
// after. The check reads and locks nothing: two sales at the edge may both
// pass, and the upstream then refuses one.
func (s *Service) guardFloat(ctx context.Context, db *gorm.DB, sale *Sale) error {
	total, err := sale.Quoted().Total()
	if err != nil {
		return err
	}
	var refused int64
	if err := db.Raw("SELECT COUNT(*) FROM incidents WHERE kind = ? AND closed_at IS NULL", NoFloat).Scan(&refused).Error; err != nil {
		return err
	}
	if refused > 0 {
		return errFloatGone
	}
	available, err := ledger.BalanceIn(ctx, db, ledger.Float, sale.SendCurrency)
	if err != nil {
		return err
	}
	enough, err := available.Cmp(total)
	if err != nil {
		return err
	}
	if enough < 0 {
		return errFloat
	}
	return guardReserve(db, sale, available.Micros()-total.Micros())
}

// guardReserve refuses what would leave less of the float than the sale's shop
// must leave to the others.
func guardReserve(db *gorm.DB, sale *Sale, left int64) error {
	var reserve int64
	err := db.Raw("SELECT COALESCE(MAX(most), 0) FROM sale_limits WHERE shop_id = ? AND subject = ? AND currency = ?", sale.ShopID, LowMark, sale.SendCurrency).Scan(&reserve).Error
	if err != nil || left >= reserve {
		return err
	}
	return errFloatKept
}

// FloatAlarm is what is wrong with the float upstream.
type FloatAlarm struct {
	Gone bool // the upstream refused a sale; nothing is sold until its balance recovers
	Low  bool // below the mark that is set
}

// FloatAlarm says what is wrong with the float now.
func (s *Service) FloatAlarm(ctx context.Context) (FloatAlarm, error) {
	var kinds []IncidentKind
	err := s.DB.Read(ctx).Raw("SELECT DISTINCT kind FROM incidents WHERE kind IN ? AND closed_at IS NULL", []IncidentKind{NoFloat, LowFloat}).Scan(&kinds).Error
	if err != nil {
		return FloatAlarm{}, fmt.Errorf("float alarm: %w", err)
	}
	var alarm FloatAlarm
	for _, kind := range kinds {
		alarm.Gone = alarm.Gone || kind == NoFloat
		alarm.Low = alarm.Low || kind == LowFloat
	}
	return alarm, nil
}
