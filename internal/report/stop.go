package report

import (
	"time"

	"gorm.io/gorm"

	"airtill/internal/money"
	"airtill/internal/store"
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

// stops sums what limits stopped.
func (q Query) stops(db *gorm.DB, shops folds) ([]Row, error) {
	sums := rowSums{query: q}
	from, to := q.moments(shops)
	stops, err := store.All[struct {
		At                                                            time.Time
		ShopID, TillID, CashierID, Subject, Period, Measure, Approver string
		PriceMicros                                                   int64
		PriceCurrency                                                 money.Currency
	}](db.Raw(`SELECT at, shop_id, till_id, cashier_id, subject, period, measure, approver, price_micros,
		price_currency
		FROM limit_stops WHERE at >= ? AND at < ? AND shop_id IN ?`, from, to, q.Shops))
	for _, stop := range stops {
		row := sums.of(Row{
			ShopID: stop.ShopID, Day: DayOf(stop.At, shops[stop.ShopID].zone), TillID: stop.TillID,
			CashierID: stop.CashierID, Rule: stop.Subject + "/" + stop.Period + "/" + stop.Measure,
			PriceCurrency: stop.PriceCurrency, SendCurrency: stop.PriceCurrency,
		})
		switch {
		case row == nil:
		case stop.Approver != "":
			row.Stop.Add(Stops{Stopped: 1, Allowed: 1})
		default:
			row.Stop.Add(Stops{Stopped: 1, HeldMicros: stop.PriceMicros})
		}
	}
	return sums.rows(), err
}
