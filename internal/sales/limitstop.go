package sales

import (
	"context"
	"errors"
	"fmt"
	"time"

	"airtill/internal/store"
)

// askedAgain is how long a sale that was asked for again is still the same sale: the
// page was loaded anew, its button pressed twice, or a manager fetched.
const askedAgain = 15 * time.Minute

// asked names what was stopped, the same however often it is tried.
func (e *LimitError) asked(sale *Sale) string {
	if e.Limit.Subject == OneRefund {
		return "refund:" + sale.ID
	}
	return sale.ParamsHash
}

// stopStatement keeps what a limit stopped, or what an approver let by, unless it is
// on record: what is counted are sales, not how often somebody tried.
func stopStatement(e *LimitError, sale *Sale, approver string, at time.Time) store.Statement {
	asked := e.asked(sale)
	return store.Statement{
		SQL: `INSERT INTO limit_stops (id, at, shop_id, till_id, cashier_id, subject, period, measure, currency, most, used, sku_code, price_micros, price_currency, sale_id, approver, asked)
			SELECT ?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,? WHERE NOT EXISTS (
			SELECT 1 FROM limit_stops WHERE asked = ? AND approver = ? AND at > ? AND (approver = '' OR sale_id = ?))`,
		Args: []any{
			store.NewID(at), at, sale.ShopID, sale.TillID, sale.CashierID, e.Limit.Subject, e.Limit.Period, e.Limit.Measure, e.Limit.Currency, e.Limit.Most, e.Used,
			sale.SKUCode, sale.PriceMicros, sale.PriceCurrency, sale.ID, approver, asked,
			asked, approver, at.Add(-askedAgain), sale.ID,
		},
	}
}

// keepStop records that a limit stopped an act, whose transaction came to nothing. The
// error is the cause in any case: what the report lacks is no matter of the counter.
func (s *Service) keepStop(ctx context.Context, sale *Sale, cause error) error {
	var stop *LimitError
	if !errors.As(cause, &stop) {
		return cause
	}
	err := s.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Lock(stop.asked(sale)); err != nil {
			return err
		}
		kept, err := tx.ExecAll(ctx, stopStatement(stop, sale, "", store.Moment(s.Now())))
		if err == nil && kept[0] > 0 {
			tx.AfterCommit(s.metrics.stops.WithLabelValues(string(stop.Limit.Subject), string(stop.Limit.Period)).Inc)
		}
		return err
	})
	if err != nil {
		s.Log.ErrorContext(ctx, "sale.stop_not_kept", "error", err)
	}
	return cause
}

// keepAllowed records in the act's own transaction that limits were let by: on what
// they stopped before, or else under the first of them.
func (a *allowing) keepAllowed(ctx context.Context, tx *store.Tx, sale *Sale, at time.Time) error {
	for _, stop := range a.stops {
		var limit *LimitError
		if !errors.As(stop, &limit) {
			continue
		}
		asked := limit.asked(sale)
		_, err := tx.ExecAll(ctx, store.Statement{
			SQL:  "UPDATE limit_stops SET approver = ?, sale_id = ? WHERE asked = ? AND approver = '' AND at > ?",
			Args: []any{a.approver.ID, sale.ID, asked, at.Add(-askedAgain)},
		}, stopStatement(limit, sale, a.approver.ID, at))
		return err
	}
	return nil
}

// StopCount is how many sales and refunds a limit stopped.
type StopCount struct {
	ShopID   string
	Subject  Subject
	Period   Period
	Measure  Measure
	Currency string
	Stopped  int // in all
	Allowed  int // of them, by a manager
}

// Stops counts what the limits stopped since a time. shopID "" counts all
// shops.
func (s *Service) Stops(ctx context.Context, shopID string, since time.Time) ([]StopCount, error) {
	var counts []StopCount
	query := s.DB.Read(ctx).Table("limit_stops").Where("at >= ?", store.Moment(since))
	if shopID != "" {
		query = query.Where("shop_id = ?", shopID)
	}
	err := query.Select("shop_id, subject, period, measure, currency, COUNT(*) AS stopped, SUM(CASE WHEN approver <> '' THEN 1 ELSE 0 END) AS allowed").
		Group("shop_id, subject, period, measure, currency").Order("stopped DESC").Scan(&counts).Error
	if err != nil {
		return nil, fmt.Errorf("count limit stops: %w", err)
	}
	return counts, nil
}
