package limit

import (
	"context"
	"errors"
	"time"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// askedAgain is for how long a repeated act is still the same one: the page was reloaded, its button pressed
// twice, or a manager fetched.
const askedAgain = 15 * time.Minute

// stopStatement records what a limit stopped, or an approver let pass, unless it is on record: sales are
// counted, not tries.
func stopStatement(e *Error, a Act, approver string, at time.Time) store.Statement {
	l := e.Limit
	return store.Statement{
		SQL: `INSERT INTO limit_stops (id, at, shop_id, till_id, cashier_id, subject, period, measure, currency, most,
				used, sku_code, price_micros, price_currency, sale_id, approver, asked)
			SELECT ?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,? WHERE NOT EXISTS (
			SELECT 1 FROM limit_stops WHERE asked = ? AND approver = ? AND at > ? AND (approver = '' OR sale_id = ?))`,
		Args: []any{
			store.NewID(at), at, a.ShopID, a.TillID, a.CashierID, l.Subject, l.Period, l.Measure, l.Currency, l.Most,
			e.Used, a.SKUCode, a.Price.Micros(), a.Price.Currency(), a.SaleID, approver, a.Name,
			a.Name, approver, at.Add(-askedAgain), a.SaleID,
		},
	}
}

// Stopped records that a limit stopped an act, if that is what err says, after the act's own transaction was
// rolled back. It returns err in any case: a gap in the report is no concern of the counter.
func (s *Service) Stopped(ctx context.Context, a Act, err error) error {
	var stop *Error
	if !errors.As(err, &stop) {
		return err
	}
	failed := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Lock(a.Name); err != nil {
			return err
		}
		inserted, err := tx.ExecAll(ctx, stopStatement(stop, a, "", store.Moment(s.d.Now())))
		if err == nil && inserted[0] > 0 {
			tx.AfterCommit(s.stops.WithLabelValues(string(stop.Limit.Subject), string(stop.Limit.Period)).Inc)
		}
		return err
	})
	if failed != nil {
		s.d.Log.ErrorContext(ctx, "limit.stop_not_recorded", "error", failed)
	}
	return err
}

// Allowed records in the act's own transaction that an approver let it pass limits: on the stops they caused
// before, or else as a stop of the first.
func (s *Service) Allowed(ctx context.Context, tx *store.Tx, a Act, approver string, stops []error) error {
	var first *Error
	if !errors.As(errors.Join(stops...), &first) {
		return nil
	}
	at := store.Moment(s.d.Now())
	_, err := tx.ExecAll(ctx, store.Statement{
		SQL:  "UPDATE limit_stops SET approver = ?, sale_id = ? WHERE asked = ? AND approver = '' AND at > ?",
		Args: []any{approver, a.SaleID, a.Name, at.Add(-askedAgain)},
	}, stopStatement(first, a, approver, at))
	return err
}

// StopCount is how many sales and refunds a limit stopped.
type StopCount struct {
	ShopID string
	Kind
	Currency string
	Stopped  int // in all
	Allowed  int // of these, by a manager
}

// stopsCounted is how far back Stops counts.
const stopsCounted = 7 * 24 * time.Hour

// Stops counts what the limits of all shops stopped in the last seven days.
func (s *Service) Stops(ctx context.Context) ([]StopCount, error) {
	counts, err := store.All[StopCount](s.d.DB.Read(ctx).Table("limit_stops").
		Where("at >= ?", store.Moment(s.d.Now().Add(-stopsCounted))).
		Select(`shop_id, subject, period, measure, currency, COUNT(*) AS stopped,
			SUM(CASE WHEN approver <> '' THEN 1 ELSE 0 END) AS allowed`).
		Group("shop_id, subject, period, measure, currency").Order("stopped DESC"))
	return counts, fault.Doing("count limit stops", err)
}
