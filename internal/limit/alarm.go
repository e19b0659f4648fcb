package limit

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gorm.io/gorm"

	"airtill/internal/money"
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
	db := s.d.DB.Read(ctx)
	var open []string
	err := db.Raw("SELECT DISTINCT kind FROM incidents WHERE kind IN ? AND closed_at IS NULL",
		[]string{FloatGone, FloatLow}).Scan(&open).Error
	if err != nil {
		return FloatAlarm{}, fmt.Errorf("float alarm: %w", err)
	}
	alarm := FloatAlarm{
		Gone: slices.Contains(open, FloatGone), Low: slices.Contains(open, FloatLow), Shops: map[string]bool{},
	}
	var marks []struct {
		ShopID       string
		Most, Micros int64
	}
	err = db.Raw(`SELECT l.shop_id, l.most, b.micros FROM sale_limits l
		JOIN upstream_balances b ON b.id = (
			SELECT id FROM upstream_balances WHERE currency = l.currency ORDER BY id DESC LIMIT 1)
		WHERE l.shop_id <> '' AND l.subject = ? AND l.period = ?`, LowMark, Each).Scan(&marks).Error
	if err != nil {
		return alarm, fmt.Errorf("float alarm: %w", err)
	}
	for _, mark := range marks {
		alarm.Shops[mark.ShopID] = alarm.Shops[mark.ShopID] || mark.Micros < mark.Most
	}
	return alarm, nil
}

// Mark is the mark of every shop below which the float is low; set is false if the currency has none.
func Mark(db *gorm.DB, currency money.Currency) (mark money.Amount, set bool, err error) {
	var found []Limit
	err = db.Where("shop_id = '' AND subject = ? AND period = ? AND currency = ?", LowMark, Each, currency).
		Find(&found).Error
	if err != nil || len(found) == 0 {
		return money.Amount{}, false, err
	}
	return found[0].Amount(), true, nil
}
