package invariant

import (
	"context"
	"fmt"

	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// judgeCash is I2: what a customer paid waits, is due back, went back or is earned, and the books have it where the
// sale says that it is. Only a complete transfer earns it.
func (s *Service) judgeCash(ctx context.Context, f *Finding, where string, args ...any) (last string, err error) {
	if last, err = s.end(ctx, "sales", where, args, salesAtOnce); err != nil || last == "" {
		return "", err
	}
	question := s.d.DB.Read(ctx).Raw(fmt.Sprintf(cashSQL, where), append(args, last)...)
	return last, store.Each(question, func(p paid) {
		f.Checked++
		p.judge(f)
	})
}

// cashSQL reads sales and what is booked of their cash in one statement, so of one moment.
const cashSQL = `
SELECT s.id, s.practice, s.fulfilment, s.cash, s.price_micros AS price, s.price_currency AS currency,
       COALESCE(SUM(CASE WHEN q.account = '2000' THEN -q.micros END), 0) AS waiting,
       COALESCE(SUM(CASE WHEN q.account = '2010' THEN -q.micros END), 0) AS due,
       COALESCE(SUM(CASE WHEN q.account LIKE '1000:%%' THEN q.micros END), 0) AS drawers
  FROM sales s LEFT JOIN postings q ON q.sale_id = s.id AND q.currency = s.price_currency
 WHERE %s AND s.id <= ?
 GROUP BY s.id ORDER BY s.id`

// paid is a sale, and how much of its price the books have where.
type paid struct {
	ID         string
	Practice   bool
	Fulfilment sales.State
	Cash       sales.Cash
	Price      int64
	Currency   money.Currency

	Waiting, Due, Drawers int64
}

func (p paid) judge(f *Finding) {
	if p.Cash == sales.CashEarned && p.Fulfilment != sales.Complete {
		f.Blame("sale.earned", p.ID)
	}
	var waiting, due, drawers int64
	if !p.Practice { // which books nothing
		switch p.Cash {
		case sales.CashTaken:
			waiting, drawers = p.Price, p.Price
		case sales.CashRefundDue:
			due, drawers = p.Price, p.Price
		case sales.CashEarned:
			drawers = p.Price
		case sales.CashNone, sales.CashRefunded:
		}
	}
	if p.Waiting != waiting || p.Due != due || p.Drawers != drawers {
		amount := func(micros int64) money.Amount { return money.Of(micros, p.Currency) }
		f.Blame("sale.cash", p.ID, amount(p.Waiting), amount(p.Due), amount(p.Drawers))
	}
}
