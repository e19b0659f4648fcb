package limit

import (
	"context"
	"maps"
	"slices"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/store"
)

// The kinds of incident about the float.
const (
	FloatGone = "insufficient_balance" // the upstream refused a sale for lack of it
	FloatLow  = "low_float"            // it is below the mark of every shop
)

// FloatAlarm is what is wrong with the float upstream.
type FloatAlarm struct {
	Gone  bool            // nothing is sold until the upstream's balance recovers
	Low   bool            // below the mark of every shop
	Shops map[string]bool // of those with a mark of their own, whether the float is below it
}

// LowFor says whether a shop is to be warned: by its own mark if it has one, otherwise by that of every shop.
// The office, which is no shop, is warned by any.
func (a FloatAlarm) LowFor(shopID string) bool {
	if below, own := a.Shops[shopID]; own {
		return below
	}
	return a.Low || shopID == "" && slices.Contains(slices.Collect(maps.Values(a.Shops)), true)
}

// FloatAlarm says what is wrong with the float now.
func (s *Service) FloatAlarm(ctx context.Context) (FloatAlarm, error) {
	var found []struct {
		Kind, ShopID string
		Most, Micros int64
	}
	err := s.d.DB.Read(ctx).Raw(`SELECT DISTINCT kind, '' AS shop_id, 0 AS most, 0 AS micros FROM incidents
		WHERE kind IN ? AND closed_at IS NULL
		UNION ALL SELECT '', l.shop_id, l.most, b.micros FROM sale_limits l
		JOIN upstream_balances b ON b.id = (
			SELECT id FROM upstream_balances WHERE id > '' AND currency = l.currency ORDER BY id DESC LIMIT 1)
		WHERE l.shop_id <> '' AND l.subject = ? AND l.period = ?`,
		[]string{FloatGone, FloatLow}, LowMark, Each).Scan(&found).Error
	alarm := FloatAlarm{Shops: map[string]bool{}}
	for _, of := range found {
		switch of.Kind {
		case FloatGone:
			alarm.Gone = true
		case FloatLow:
			alarm.Low = true
		default: // the mark of a shop
			alarm.Shops[of.ShopID] = alarm.Shops[of.ShopID] || of.Micros < of.Most
		}
	}
	return alarm, fault.Doing("float alarm", err)
}

// Mark is the mark of every shop below which the float is low; set is false if the currency has none.
func Mark(db *gorm.DB, currency money.Currency) (mark money.Amount, set bool, err error) {
	const ofAll = "shop_id = '' AND subject = ? AND period = ? AND currency = ?"
	found, err := store.First[Limit](db.Where(ofAll, LowMark, Each, currency))
	if err != nil || found == nil {
		return money.Amount{}, false, err
	}
	return found.Amount(), true, nil
}
