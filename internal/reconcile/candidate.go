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
	byTopUp      = "topup"      // a payment entered by two people has arrived
	byMissing    = "missing"    // a sale that is not listed, or not listed as complete, was not charged either
	byDoubtful   = "doubtful"   // a transfer given up lately was executed after all
	byUndone     = "undone"     // an unexplained difference is gone
)

// cause is something that would change the balance by an amount.
type cause struct {
	what   string
	sale   string
	ref    string // of a doubtful transfer, which may not be the sale's last
	value  int64
	fresh  bool // a refund not yet owed when the balance was last settled
	paid   Paid
	broken Break // its unresolved break, if it has one
}

// mostDoubtful bounds how many doubtful sales are considered, the newest ones.
const mostDoubtful = 40

// doubtfulFor is how long a given-up sale may explain a difference; after that, a break still lists it as a
// candidate.
const doubtfulFor = 24 * time.Hour

// causes are what may be expected to change the balance.
func (s *Service) causes(ctx context.Context, currency money.Currency, unresolved []Break) (all []cause, err error) {
	session := s.d.DB.Read(ctx)
	type reading = func(*gorm.DB, money.Currency, []Break) ([]cause, error)
	for _, read := range []reading{receivables, expectedTopUps, missingCauses, s.doubtful, undone} {
		found, err := read(session, currency, unresolved)
		if err != nil {
			return nil, fmt.Errorf("what may explain a balance: %w", err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// receivables are what the upstream still owes back, the newest first: it pays when a transfer fails, and what
// does not come then may never come.
func receivables(session *gorm.DB, currency money.Currency, unresolved []Break) ([]cause, error) {
	rows, err := store.All[sales.Sale](
		session.Select("id", "receivable_micros", "final_at").Where(
			"receivable_micros > 0 AND send_currency = ? AND practice = ?", currency, false,
		).Order("final_at DESC, id DESC"),
	)
	if err != nil {
		return nil, err
	}
	settled, err := lastSettled(session, currency)
	var all []cause
	for i := range rows {
		row := &rows[i]
		c := cause{what: byReceivable, sale: row.ID, value: row.ReceivableMicros, fresh: !settled.passedOver(row)}
		for _, b := range unresolved {
			if b.SaleID == row.ID && !b.Kind.ofRecords() {
				c.broken, c.fresh = b, false
				c.value -= b.FloatMicros
			}
		}
		all = append(all, c)
	}
	return all, err
}

// lastSettled is the last balance that left nothing open.
func lastSettled(session *gorm.DB, currency money.Currency) (UpstreamBalance, error) {
	found, err := store.First[UpstreamBalance](
		session.Where( // back through the ids
			"id > '' AND verdict IN ? AND currency = ?", []Judgement{Agrees, Explained, Confirmed}, currency,
		).Order("id DESC"),
	)
	if err != nil || found == nil {
		return UpstreamBalance{}, err
	}
	return *found, nil
}

// passedOver says whether a refund was owed at a settled balance and had not come.
func (b UpstreamBalance) passedOver(s *sales.Sale) bool {
	return s.FinalAt != nil && s.FinalAt.Before(b.AskedAt) && !slices.Contains(b.open(), s.ID)
}

func expectedTopUps(session *gorm.DB, currency money.Currency, _ []Break) ([]cause, error) {
	rows, err := store.All[Paid](
		session.Where(
			"approved_at IS NOT NULL AND seen_at IS NULL AND refused_at IS NULL AND currency = ?", currency,
		).Order("id"),
	)
	var all []cause
	for _, row := range rows {
		all = append(all, cause{what: byTopUp, value: row.Micros, paid: row})
	}
	return all, err
}

// missingCauses: only the balance tells whether a sale that is not listed as complete was charged.
func missingCauses(_ *gorm.DB, currency money.Currency, unresolved []Break) (all []cause, err error) {
	for _, b := range unresolved {
		if b.Kind.ofBalance() && b.FloatMicros == 0 && b.Currency == currency && !b.Undoing() {
			all = append(all, cause{what: byMissing, sale: b.SaleID, value: b.Micros, broken: b})
		}
	}
	return all, nil
}

// doubtful are transfers sent and given up lately: those of sales that ended so, and attempts replaced by
// others. The upstream may have reported and listed them as failed: what it executes late it lists late, when
// the money has gone already.
func (s *Service) doubtful(session *gorm.DB, currency money.Currency, _ []Break) ([]cause, error) {
	var rows []struct {
		sales.Sale
		GivenUp string
	}
	err := session.Raw(`WITH lost AS MATERIALIZED (SELECT id, ref FROM sales
			WHERE permit_at IS NOT NULL AND receivable_micros = 0 AND attempt_at > @since
			AND fulfilment IN ('failed', 'voided', 'cancelled')
		UNION ALL SELECT sale_id, ref FROM attempts
			WHERE next_check_at IS NOT NULL AND late = @no AND permit_at > @since)
		SELECT s.*, lost.ref AS given_up FROM lost JOIN sales s ON s.id = lost.id
		WHERE practice = @no AND send_currency = @currency ORDER BY lost.id DESC LIMIT @most`,
		map[string]any{
			"no": false, "currency": currency,
			"since": store.Moment(s.d.Now().Add(-doubtfulFor)), "most": mostDoubtful,
		}).Scan(&rows).Error
	var all []cause
	for i := range rows {
		sold := soldOf(&rows[i].Sale)
		value := -sold.Quoted.Send.Micros() - sold.Quoted.DistributorFee.Micros() // whatever another attempt cost
		if commission, known := sold.expectedCommission(Record{Cost: &sold.Quoted}); known {
			value += commission.Micros()
		}
		all = append(all, cause{what: byDoubtful, sale: rows[i].ID, ref: rows[i].GivenUp, value: value})
	}
	return all, err
}

// undone are unexplained differences of the balance, which may be gone.
func undone(_ *gorm.DB, currency money.Currency, unresolved []Break) (all []cause, err error) {
	for _, b := range unresolved {
		if (b.Kind == BalanceUp || b.Kind == BalanceDown) && b.Currency == currency {
			all = append(all, cause{what: byUndone, value: -b.FloatMicros, broken: b})
		}
	}
	return all, nil
}
