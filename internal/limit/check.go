package limit

import (
	"context"
	"slices"
	"strings"
	"time"

	"airtill/internal/money"
	"airtill/internal/store"
)

// Act is a sale, or the refund of one, as limits measure it.
type Act struct {
	Name          string // the same however often it is tried
	SaleID        string // "": not recorded yet
	ShopID        string
	TillID        string
	CashierID     string
	AccountNumber string // "": nobody's
	SKUCode       string
	Price         money.Amount
}

// uses selects the sales that use up limits and float: all but those that ended without success.
const uses = "NOT practice AND fulfilment NOT IN ('failed', 'cancelled', 'voided')"

// CheckSale hands each limit a sale would break to pass, and returns the first that pass does not let by. It
// reads the sales and locks nothing. Day is when the shop's business day began; zero counts the last 24 hours.
func (s *Service) CheckSale(
	ctx context.Context, db store.Asker, a Act, day time.Time, pass func(error) error,
) error {
	limits, err := s.in(ctx, db, a.ShopID, OneSale, OneNumber, OneSeller)
	if err != nil {
		return err
	}
	limits = slices.DeleteFunc(limits, func(l Limit) bool {
		return l.Measure == Sum && l.Currency != a.Price.Currency() || l.Subject == OneNumber && a.AccountNumber == ""
	})
	counted, err := used(ctx, db, limits, a, s.began(day), s.d.Now())
	if err != nil {
		return err
	}
	for i, l := range limits {
		more := int64(1)
		if l.Measure == Sum {
			more = a.Price.Micros()
		}
		if counted[i] > l.Most-more {
			if err := pass(&Error{Limit: l, Used: counted[i]}); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckRefund is CheckSale for a refund.
func (s *Service) CheckRefund(ctx context.Context, db store.Asker, a Act, pass func(error) error) error {
	limits, err := s.in(ctx, db, a.ShopID, OneRefund)
	if err != nil {
		return err
	}
	for _, l := range limits {
		if l.Currency == a.Price.Currency() && a.Price.Micros() > l.Most {
			if err := pass(&Error{Limit: l}); err != nil {
				return err
			}
		}
	}
	return nil
}

// began is when a business day began.
func (s *Service) began(day time.Time) time.Time {
	if day.IsZero() {
		return s.d.Now().Add(-24 * time.Hour)
	}
	return day
}

// used is how much each limit has counted already, in one statement.
func used(ctx context.Context, db store.Asker, limits []Limit, a Act, day, now time.Time) ([]int64, error) {
	counted := make([]int64, len(limits))
	var columns []string
	var args, into []any
	for i, l := range limits {
		if l.Period == Each {
			continue
		}
		since := day
		if l.Period == Hour {
			since = now.Add(-time.Hour)
		}
		sum := store.Statement{SQL: "COUNT(*)"}
		if l.Measure == Sum {
			sum = inCurrency("price_micros", "price_currency", l.Currency)
		}
		whose, who := "cashier_id", a.CashierID
		if l.Subject == OneNumber {
			whose, who = "account_number", a.AccountNumber
		}
		column := usedSince(sum, whose, who, "recorded_at", store.Moment(since), since)
		columns = append(columns, column.SQL)
		args, into = append(args, column.Args...), append(into, &counted[i])
	}
	if columns == nil {
		return counted, nil
	}
	err := db.Rows(ctx, store.Query{
		SQL: "SELECT " + strings.Join(columns, ", "), Args: args,
		Row: func(scan store.Scanner) error { return scan(into...) },
	})
	return counted, err
}

// inCurrency sums what is of a currency.
func inCurrency(micros, in string, currency money.Currency) store.Statement {
	return store.Statement{
		SQL:  "CAST(COALESCE(SUM(CASE WHEN " + in + " = ? THEN " + micros + " END), 0) AS BIGINT)",
		Args: []any{currency},
	}
}

// usedSince sums somebody's sales since a time: those made from then on, by their id or time, and older ones that were
// tried again, which are sent from then on, too. The latter are few, and each is found by its key: with IN, PostgreSQL
// may read all sales instead.
func usedSince(sum store.Statement, whose, who, made string, from any, since time.Time) store.Statement {
	at := store.Moment(since)
	made = "(SELECT " + sum.SQL + " FROM sales WHERE " + made + " >= ? AND " + uses + " AND " + whose + " = ?)"
	again := "(SELECT " + sum.SQL + " FROM sales WHERE id = again.sale_id AND id < ? AND attempt_at >= ? AND " + uses +
		" AND " + whose + " = ?)"
	again = "(SELECT CAST(COALESCE(SUM(" + again + "), 0) AS BIGINT) FROM (" + triedAgain + ") AS again)"
	return store.Statement{
		SQL:  "(" + made + " + " + again + ")",
		Args: slices.Concat(sum.Args, []any{from, who}, sum.Args, []any{store.FirstID(since), at, who, at}),
	}
}

// triedAgain selects the ids of the sales that were tried again since a time. The causes are all those of an index.
// With the bare column SQLite takes another one, and reads all events there are in the order of their sales.
const triedAgain = `SELECT DISTINCT sale_id || '' AS sale_id FROM sale_events WHERE cause = 'tried_again' AND
cause IN ('refunded', 'called_off', 'cancel_asked', 'tried_again', 'decided') AND at >= ?`
