package sales

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/store"
)

// Subject is what a limit counts for.
type Subject string

// The subjects.
const (
	OneSale   Subject = "sale"    // a single sale's price
	OneNumber Subject = "number"  // sales to one account number, in all shops
	OneSeller Subject = "cashier" // sales of one cashier
	OneRefund Subject = "refund"  // a single refund
	// LowMark warns when the float upstream is below it, and stops nothing. By the
	// day it is a cap: what a shop may use of the float in its business day, which
	// nobody at the counter can lift.
	LowMark Subject = "float"
	// FloatKept of a shop is what it must leave of the float to the others: it sells
	// nothing that would take the float below it.
	FloatKept Subject = "kept"
)

// Period is the time in which a limit counts.
type Period string

// The periods.
const (
	Each Period = "each" // each act by itself
	Hour Period = "hour" // the last hour
	Day  Period = "day"  // the shop's business day
)

// Measure is what a limit counts.
type Measure string

// The measures.
const (
	Count Measure = "count"
	Sum   Measure = "amount"
)

// Limit is how much may be done before a manager must allow more. A shop's own
// row counts before the row of every shop.
type Limit struct {
	ShopID   string // "" for every shop without its own
	Subject  Subject
	Period   Period
	Measure  Measure
	Currency money.Currency // of an amount; "" for a count
	Most     int64          // a count, or millionths of Currency
}

// TableName names the table for GORM.
func (Limit) TableName() string { return "sale_limits" }

// Amount is the limit of an amount.
func (l Limit) Amount() money.Amount { return money.Of(l.Most, l.Currency) }

// facts are what the audit keeps of a limit.
func (l Limit) facts() map[string]any {
	most := strconv.FormatInt(l.Most, 10)
	if l.Measure == Sum {
		most = l.Amount().String()
	}
	return map[string]any{"shop": l.ShopID, "subject": l.Subject, "period": l.Period, "measure": l.Measure, "most": most}
}

// LimitError says that a limit is reached. Nothing was done.
type LimitError struct {
	Limit Limit
	Used  int64 // before this act, in the limit's measure
}

// Error names the limit; it holds no number of anybody.
func (e *LimitError) Error() string {
	return fmt.Sprintf("limit per %s and %s reached: %d of %d", e.Limit.Subject, e.Limit.Period, e.Used, e.Limit.Most)
}

// Limits lists all limits, those of every shop first.
func (s *Service) Limits(ctx context.Context) ([]Limit, error) {
	var limits []Limit
	if err := s.DB.Read(ctx).Order("shop_id, subject, period, measure, currency").Find(&limits).Error; err != nil {
		return nil, fmt.Errorf("list limits: %w", err)
	}
	return limits, nil
}

// SetLimit sets a limit, or removes it if most is negative.
func (s *Service) SetLimit(ctx context.Context, actor audit.Actor, l Limit) error {
	if err := l.check(); err != nil {
		return err
	}
	err := s.DB.Tx(ctx, func(tx *store.Tx) error {
		const same = "shop_id = ? AND subject = ? AND period = ? AND measure = ? AND currency = ?"
		key := []any{l.ShopID, l.Subject, l.Period, l.Measure, l.Currency}
		var before []Limit
		if err := tx.Where(same, key...).Find(&before).Error; err != nil {
			return err
		}
		if err := tx.Exec("DELETE FROM sale_limits WHERE "+same, key...).Error; err != nil {
			return err
		}
		entry := audit.Entry{Actor: actor, Action: "limit.set", Subject: "shop:" + l.ShopID}
		if len(before) > 0 {
			entry.Before = before[0].facts()
		}
		if l.Most >= 0 {
			entry.After = l.facts()
			if err := tx.Create(&l).Error; err != nil {
				return err
			}
		}
		return s.Audit.Write(ctx, tx, entry)
	})
	if err != nil {
		return fmt.Errorf("set limit: %w", err)
	}
	return nil
}

// check refuses what no sale is ever measured by.
func (l Limit) check() error {
	each := l.Subject == OneSale || l.Subject == OneRefund || l.Subject == FloatKept || l.Subject == LowMark && l.Period != Day
	amount := each || l.Subject == LowMark
	counted := l.Subject == OneNumber || l.Subject == OneSeller
	switch {
	case !amount && !counted, each != (l.Period == Each), counted && l.Period != Hour && l.Period != Day:
		return fault.OnField("subject", "limit.none")
	case l.Measure != Sum && (l.Measure != Count || amount):
		return fault.OnField("measure", "limit.amount")
	case l.Subject == FloatKept && l.ShopID == "":
		return fault.OnField("shop", "limit.shop")
	case (l.Measure == Sum) != l.Currency.Known():
		return fault.OnField("currency", "limit.currency")
	}
	return nil
}

// limitsOf returns the limits that hold in a shop for some subjects, the shop's own
// first.
func (s *Service) limitsOf(db *gorm.DB, shopID string, subjects ...Subject) ([]Limit, error) {
	rows, err := s.limits.Get(db.Statement.Context, shopID, func(context.Context) (rows []Limit, err error) {
		err = db.Where("shop_id IN ?", []string{"", shopID}).Order("shop_id DESC, subject, period, measure, currency").Find(&rows).Error
		return rows, err
	})
	if err != nil {
		return nil, err
	}
	var hold []Limit
	seen := map[Limit]bool{}
	for _, l := range rows {
		kind := l
		kind.ShopID, kind.Most = "", 0
		if slices.Contains(subjects, l.Subject) && !seen[kind] {
			seen[kind] = true
			hold = append(hold, l)
		}
	}
	return hold, nil
}

// guardLimits returns the first limit that a sale would break. It reads what
// was sold and locks nothing but, by serialize, the number.
func (s *Service) guardLimits(db *gorm.DB, sale *Sale, day, now time.Time, pass func(error) error) error {
	limits, err := s.limitsOf(db, sale.ShopID, OneSale, OneNumber, OneSeller)
	if err != nil {
		return err
	}
	limits = slices.DeleteFunc(limits, func(l Limit) bool {
		return l.Measure == Sum && l.Currency != sale.PriceCurrency || l.Subject == OneNumber && !sale.Addressed()
	})
	counted, err := usedOf(db, limits, sale, day, now)
	if err != nil {
		return err
	}
	for i, l := range limits {
		used := counted[i]
		more := int64(1)
		if l.Measure == Sum {
			more = sale.PriceMicros
		}
		if used > l.Most-more {
			if err := pass(&LimitError{Limit: l, Used: used}); err != nil {
				return err
			}
		}
	}
	return nil
}

// usedOf is what was sold already of what each limit counts, in one statement. What
// failed counts for nothing, what is open counts.
func usedOf(db *gorm.DB, limits []Limit, sale *Sale, day, now time.Time) ([]int64, error) {
	used := make([]int64, len(limits))
	var parts []string
	var args []any
	for i, l := range limits {
		if l.Period == Each {
			continue
		}
		since := day
		switch {
		case l.Period == Hour:
			since = now.Add(-time.Hour)
		case day.IsZero():
			since = now.Add(-24 * time.Hour)
		}
		part := fmt.Sprintf("SELECT %d AS i, COUNT(*) AS used", i)
		if l.Measure == Sum {
			part = fmt.Sprintf("SELECT %d AS i, COALESCE(SUM(CASE WHEN price_currency = ? THEN price_micros END), 0) AS used", i)
			args = append(args, l.Currency)
		}
		part += " FROM sales WHERE recorded_at >= ? AND NOT practice AND fulfilment NOT IN ? AND "
		args = append(args, store.Moment(since), []State{Failed, Cancelled, Voided})
		if l.Subject == OneNumber {
			part, args = part+"account_number = ?", append(args, sale.AccountNumber)
		} else {
			part, args = part+"cashier_id = ?", append(args, sale.CashierID)
		}
		parts = append(parts, part)
	}
	if parts == nil {
		return used, nil
	}
	var rows []struct {
		I    int
		Used int64
	}
	if err := db.Raw(strings.Join(parts, " UNION ALL "), args...).Scan(&rows).Error; err != nil {
		return nil, err
	}
	for _, row := range rows {
		used[row.I] = row.Used
	}
	return used, nil
}

// Addressed says whether the transfer goes to a number of somebody; PINs go to
// a number of noughts.
func (s *Sale) Addressed() bool { return strings.Trim(s.AccountNumber, "0") != "" }
