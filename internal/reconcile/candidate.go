package reconcile

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// What may explain a difference.
const (
	byReceivable = "receivable" // the upstream has paid back what it owed for a sale
	byTopUp      = "topup"      // a payment that two people have entered has arrived
	byMissing    = "missing"    // a sale that is not listed was not taken either
	byDoubtful   = "doubtful"   // a sale that was given up lately was executed after all
)

// cause is something that would change the balance by an amount.
type cause struct {
	what   string
	sale   string
	value  int64
	paid   Paid
	broken Break // the unresolved break of it, if there is one
}

// doubtfulFor is how long a given-up sale may explain a difference; a break
// still names it as a candidate after that.
const doubtfulFor = 24 * time.Hour

// causes are what is expected to change the balance.
func (s *Service) causes(ctx context.Context, currency money.Currency, unresolved []Break) (all []cause, err error) {
	session := s.DB.Read(ctx)
	for _, read := range []func(*gorm.DB, money.Currency, []Break) ([]cause, error){receivables, expectedTopUps, missingCauses, s.doubtful} {
		found, err := read(session, currency, unresolved)
		if err != nil {
			return nil, fmt.Errorf("what may explain a balance: %w", err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// receivables are what the upstream owes back, less what of it has come, the
// newest first: it pays when a transfer fails, and what does not come then may
// never come.
func receivables(session *gorm.DB, currency money.Currency, unresolved []Break) ([]cause, error) {
	var rows []sales.Sale
	err := session.Select("id", "receivable_micros").Where("receivable_micros > 0 AND send_currency = ? AND practice = ?", currency, false).Order("final_at DESC, id DESC").Find(&rows).Error
	var all []cause
	for _, row := range rows {
		c := cause{what: byReceivable, sale: row.ID, value: row.ReceivableMicros}
		for _, b := range unresolved {
			if b.SaleID == row.ID && (b.Kind == PartialRefund || b.Kind == RefundOverdue) {
				c.broken = b
				c.value -= b.FloatMicros
			}
		}
		all = append(all, c)
	}
	return all, err
}

func expectedTopUps(session *gorm.DB, currency money.Currency, _ []Break) ([]cause, error) {
	var rows []Paid
	err := session.Where("approved_at IS NOT NULL AND seen_at IS NULL AND refused_at IS NULL AND currency = ?", currency).Order("id").Find(&rows).Error
	var all []cause
	for _, row := range rows {
		all = append(all, cause{what: byTopUp, value: row.Micros, paid: row})
	}
	return all, err
}

// missingCauses: whether a sale that is not listed was taken, only the balance
// tells.
func missingCauses(_ *gorm.DB, currency money.Currency, unresolved []Break) (all []cause, err error) {
	for _, b := range unresolved {
		if b.Kind == MissingUpstream && b.FloatMicros == 0 && b.Currency == currency {
			all = append(all, cause{what: byMissing, sale: b.SaleID, value: b.Micros, broken: b})
		}
	}
	return all, nil
}

// doubtful are sales that were sent and given up lately. The upstream may have
// said that they failed, and list them so: those it executed late are listed
// late, while their money has gone already.
func (s *Service) doubtful(session *gorm.DB, currency money.Currency, _ []Break) ([]cause, error) {
	var rows []sales.Sale
	err := session.Where("permit_at IS NOT NULL AND receivable_micros = 0 AND fulfilment IN ? AND practice = ? AND send_currency = ? AND attempt_at > ?",
		[]sales.State{sales.Failed, sales.Voided, sales.Cancelled}, false, currency, store.Moment(s.Now().Add(-doubtfulFor))).Order("id DESC").Limit(mostValues).Find(&rows).Error
	var all []cause
	for i := range rows {
		sold := soldOf(&rows[i])
		value := -sold.worth()
		if commission, known := sold.expectedCommission(Record{Cost: &sold.Quoted}); known {
			value += commission.Micros()
		}
		all = append(all, cause{what: byDoubtful, sale: rows[i].Ref, value: value})
	}
	return all, err
}

// apart finds whole refunds and announced payments in a rise of the balance that
// has a part of a refund in it as well: on a busy day they come together. What is
// left is less than the upstream owes for another sale, and is looked at when the
// balance is told again. Nil if it is not so.
func apart(rest int64, all []cause) (picked []int) {
	for _, what := range []string{byTopUp, byReceivable} { // the larger ones first
		for i, c := range all {
			if c.what == what && c.value < rest {
				picked, rest = append(picked, i), rest-c.value
			}
		}
	}
	for i, c := range all {
		if c.what == byReceivable && c.value > rest && !slices.Contains(picked, i) {
			return picked
		}
	}
	return nil
}

func values(all []cause) []int64 {
	var values []int64
	for _, c := range all {
		values = append(values, c.value)
	}
	return values
}
