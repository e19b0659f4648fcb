package sales

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/ledger"
	"airtill/internal/store"
)

var (
	errFloat     = fault.New(fault.Unavailable, "float.low")
	errFloatKept = fault.New(fault.Unavailable, "float.kept")
	errFloatDay  = fault.New(fault.Unavailable, "float.day")
	errFloatGone = fault.New(fault.Unavailable, "float.gone")
)

// guardFloat refuses before money is taken what the upstream would refuse
// after. The check reads and locks nothing: two sales at the edge may both
// pass, and the upstream then refuses one. The shop's own cap is exact (see
// serializeCap). Day is when the shop's business day began, as in Seller.
func (s *Service) guardFloat(ctx context.Context, db *gorm.DB, sale *Sale, day time.Time) error {
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
	if err := s.guardReserve(db, sale, available.Micros()-total.Micros()); err != nil {
		return err
	}
	return s.guardCap(db, sale, total.Micros(), day)
}

// floatLimit returns what a shop's limit of the float is, in millionths of the sale's
// currency; set is false if there is none.
func (s *Service) floatLimit(db *gorm.DB, sale *Sale, subject Subject, period Period) (l Limit, set bool, err error) {
	limits, err := s.limitsOf(db, sale.ShopID, subject)
	at := slices.IndexFunc(limits, func(l Limit) bool { return l.Period == period && l.Currency == sale.SendCurrency })
	if err != nil || at < 0 {
		return Limit{}, false, err
	}
	return limits[at], true, nil
}

// capOf returns what a sale's shop may use of the float in a day, in millionths of
// the sale's currency; set is false if there is no cap.
func (s *Service) capOf(db *gorm.DB, sale *Sale) (most int64, set bool, err error) {
	l, set, err := s.floatLimit(db, sale, LowMark, Day)
	return l.Most, set, err
}

// serializeCap lets one sale at a time of a shop that has a cap pass, so that two at
// once do not go over it.
func (s *Service) serializeCap(tx *store.Tx, sale *Sale) error {
	_, set, err := s.capOf(tx.DB, sale)
	if err != nil || !set {
		return err
	}
	return tx.Lock("float of " + sale.ShopID)
}

// guardCap refuses a sale that takes its shop over its cap. What failed has used
// nothing, what is open has.
func (s *Service) guardCap(db *gorm.DB, sale *Sale, total int64, day time.Time) error {
	most, set, err := s.capOf(db, sale)
	if err != nil || !set {
		return err
	}
	if day.IsZero() {
		day = s.Now().Add(-24 * time.Hour)
	}
	var used int64
	err = db.Raw(`SELECT COALESCE(SUM(send_micros + distributor_fee_micros), 0) FROM sales
		WHERE shop_id = ? AND id >= ? AND NOT practice AND send_currency = ? AND fulfilment NOT IN ?`,
		sale.ShopID, store.FirstID(day), sale.SendCurrency, []State{Failed, Cancelled, Voided}).Scan(&used).Error
	if err != nil || used <= most-total {
		return err
	}
	return errFloatDay
}

// guardReserve refuses what would leave less of the float than the sale's shop
// must leave to the others.
func (s *Service) guardReserve(db *gorm.DB, sale *Sale, left int64) error {
	reserve, set, err := s.floatLimit(db, sale, FloatKept, Each)
	if err != nil || !set || reserve.ShopID == "" || left >= reserve.Most {
		return err
	}
	return errFloatKept
}

// FloatAlarm is what is wrong with the float upstream.
type FloatAlarm struct {
	Gone  bool            // the upstream refused a sale; nothing is sold until its balance recovers
	Low   bool            // below the mark of every shop
	Shops map[string]bool // whether it is below the mark of a shop that has one of its own
}

// LowFor says whether a shop is to be warned: by its own mark if it has one, else by
// that of every shop. The office, which is no shop, is warned by any.
func (a FloatAlarm) LowFor(shopID string) bool {
	if below, own := a.Shops[shopID]; own {
		return below
	}
	return a.Low || shopID == "" && slices.Contains(slices.Collect(maps.Values(a.Shops)), true)
}

// FloatAlarm says what is wrong with the float now.
func (s *Service) FloatAlarm(ctx context.Context) (FloatAlarm, error) {
	var kinds []IncidentKind
	err := s.DB.Read(ctx).Raw("SELECT DISTINCT kind FROM incidents WHERE kind IN ? AND closed_at IS NULL", []IncidentKind{NoFloat, LowFloat}).Scan(&kinds).Error
	if err != nil {
		return FloatAlarm{}, fmt.Errorf("float alarm: %w", err)
	}
	alarm := FloatAlarm{Shops: map[string]bool{}}
	for _, kind := range kinds {
		alarm.Gone = alarm.Gone || kind == NoFloat
		alarm.Low = alarm.Low || kind == LowFloat
	}
	var marks []struct {
		ShopID       string
		Most, Micros int64
	}
	err = s.DB.Read(ctx).Raw(`SELECT l.shop_id, l.most, b.micros FROM sale_limits l
		JOIN upstream_balances b ON b.id = (SELECT id FROM upstream_balances WHERE currency = l.currency ORDER BY id DESC LIMIT 1)
		WHERE l.shop_id <> '' AND l.subject = ? AND l.period = ?`, LowMark, Each).Scan(&marks).Error
	if err != nil {
		return alarm, fmt.Errorf("float alarm: %w", err)
	}
	for _, mark := range marks {
		alarm.Shops[mark.ShopID] = alarm.Shops[mark.ShopID] || mark.Micros < mark.Most
	}
	return alarm, nil
}
