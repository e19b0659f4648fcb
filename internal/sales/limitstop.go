package sales

import (
	"context"
	"errors"
	"fmt"
	"time"

	"airtill/internal/store"
)

// stopStatement keeps what a limit stopped, or what an approver let by.
func stopStatement(e *LimitError, sale *Sale, approver string, at time.Time) store.Statement {
	return store.Statement{
		SQL: `INSERT INTO limit_stops (id, at, shop_id, till_id, cashier_id, subject, period, measure, currency, most, used, sku_code, price_micros, price_currency, sale_id, approver)
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		Args: []any{
			NewID(at), at, sale.ShopID, sale.TillID, sale.CashierID, e.Limit.Subject, e.Limit.Period, e.Limit.Measure, e.Limit.Currency, e.Limit.Most, e.Used,
			sale.SKUCode, sale.PriceMicros, sale.PriceCurrency, sale.ID, approver,
		},
	}
}

// keepStop records that a limit stopped an act. The transaction of the act is
// over by then: it came to nothing.
func (s *Service) keepStop(ctx context.Context, sale *Sale, cause error) error {
	var stop *LimitError
	if !errors.As(cause, &stop) {
		return cause
	}
	s.metrics.stops.WithLabelValues(string(stop.Limit.Subject), string(stop.Limit.Period)).Inc()
	err := s.DB.Tx(ctx, func(tx *store.Tx) error {
		_, err := tx.ExecAll(ctx, stopStatement(stop, sale, "", store.Moment(s.Now())))
		return err
	})
	if err != nil {
		return errors.Join(cause, fmt.Errorf("keep limit stop: %w", err))
	}
	return cause
}

// keepAllowed records in the act's own transaction which limits were let by.
func (a *allowing) keepAllowed(ctx context.Context, tx *store.Tx, sale *Sale, at time.Time) error {
	var statements []store.Statement
	for _, stop := range a.stops {
		var limit *LimitError
		if errors.As(stop, &limit) {
			statements = append(statements, stopStatement(limit, sale, a.approver, at))
		}
	}
	if statements == nil {
		return nil
	}
	_, err := tx.ExecAll(ctx, statements...)
	return err
}

// StopCount is how often a limit stopped somebody.
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
