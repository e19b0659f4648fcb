package report

import (
	"context"
	"time"

	"gorm.io/gorm"

	"airtill/internal/fault"
	"airtill/internal/money"
)

// Stops are what limits stopped.
type Stops struct {
	Stopped    int64 // in all
	Allowed    int64 // of these, by somebody in charge
	HeldMicros int64 // the prices of those nobody allowed
}

// Add adds another's sums to these.
func (s *Stops) Add(other Stops) {
	s.Stopped += other.Stopped
	s.Allowed += other.Allowed
	s.HeldMicros += other.HeldMicros
}

// stopDimensions are what stops can be grouped and filtered by.
var stopDimensions = []Dimension{ByWeek, ByDay, ByMonth, ByRule, ByShop, ByTill, ByCashier}

// StopSums returns what limits stopped in a period, each in Row.Stop. Row.Rule is the limit:
// subject/period/measure. It fails as Sums does.
func (s *Service) StopSums(ctx context.Context, q Query) ([]Row, error) {
	if err := q.checkOf(stopDimensions); err != nil {
		return nil, err
	}
	sums := rowSums{query: q}
	err := s.d.DB.Snapshot(ctx, func(db *gorm.DB) error {
		shops, err := foldsIn(db)
		if err != nil {
			return err
		}
		var stops []struct {
			At                                                            time.Time
			ShopID, TillID, CashierID, Subject, Period, Measure, Approver string
			PriceMicros                                                   int64
			PriceCurrency                                                 money.Currency
		}
		from, to := q.moments(shops)
		err = db.Raw(`SELECT at, shop_id, till_id, cashier_id, subject, period, measure, approver, price_micros,
		price_currency
			FROM limit_stops WHERE at >= ? AND at < ? AND shop_id IN ?`, from, to, q.Shops).Scan(&stops).Error
		for _, stop := range stops {
			fact := Row{
				ShopID: stop.ShopID, Day: DayOf(stop.At, shops[stop.ShopID].zone), TillID: stop.TillID,
				CashierID: stop.CashierID,
				Rule: stop.Subject + "/" + stop.Period + "/" +
					stop.Measure, PriceCurrency: stop.PriceCurrency, SendCurrency: stop.PriceCurrency,
			}
			row := sums.of(fact)
			switch {
			case row == nil:
			case stop.Approver != "":
				row.Stop.Add(Stops{Stopped: 1, Allowed: 1})
			default:
				row.Stop.Add(Stops{Stopped: 1, HeldMicros: stop.PriceMicros})
			}
		}
		return err
	})
	return sums.rows(), fault.Doing("read stops", err)
}
