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
		sum := "COUNT(*)"
		if l.Measure == Sum {
			sum = "CAST(COALESCE(SUM(CASE WHEN price_currency = ? THEN price_micros END), 0) AS BIGINT)"
			args = append(args, l.Currency)
		}
		whose, who := "cashier_id", a.CashierID
		if l.Subject == OneNumber {
			whose, who = "account_number", a.AccountNumber
		}
		columns = append(columns, "(SELECT "+sum+" FROM sales WHERE recorded_at >= ? AND "+uses+" AND "+whose+" = ?)")
		args, into = append(args, store.Moment(since), who), append(into, &counted[i])
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
