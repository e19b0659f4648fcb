package limit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

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
func (s *Service) CheckSale(db *gorm.DB, a Act, day time.Time, pass func(error) error) error {
	limits, err := s.in(db, a.ShopID, OneSale, OneNumber, OneSeller)
	if err != nil {
		return err
	}
	limits = slices.DeleteFunc(limits, func(l Limit) bool {
		return l.Measure == Sum && l.Currency != a.Price.Currency() || l.Subject == OneNumber && a.AccountNumber == ""
	})
	counted, err := used(db, limits, a, s.began(day), s.d.Now())
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
func (s *Service) CheckRefund(db *gorm.DB, a Act, pass func(error) error) error {
	limits, err := s.in(db, a.ShopID, OneRefund)
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
func used(db *gorm.DB, limits []Limit, a Act, day, now time.Time) ([]int64, error) {
	counted := make([]int64, len(limits))
	var parts []string
	var args []any
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
			sum = "COALESCE(SUM(CASE WHEN price_currency = ? THEN price_micros END), 0)"
			args = append(args, l.Currency)
		}
		whose, who := "cashier_id", a.CashierID
		if l.Subject == OneNumber {
			whose, who = "account_number", a.AccountNumber
		}
		const part = "SELECT %d AS i, %s AS used FROM sales WHERE recorded_at >= ? AND %s AND %s = ?"
		parts = append(parts, fmt.Sprintf(part, i, sum, uses, whose))
		args = append(args, store.Moment(since), who)
	}
	if parts == nil {
		return counted, nil
	}
	var rows []struct {
		I    int
		Used int64
	}
	if err := db.Raw(strings.Join(parts, " UNION ALL "), args...).Scan(&rows).Error; err != nil {
		return nil, err
	}
	for _, row := range rows {
		counted[row.I] = row.Used
	}
	return counted, nil
}
