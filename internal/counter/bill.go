package counter

import (
	"context"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/fault"
)

// settleBill takes the chosen bill, which is paid in full, or looks up bills to choose from. A bill is void if
// it is for another number or other settings, or too old.
func (q *Quote) settleBill(ctx context.Context, look bool) (err error) {
	if !q.Right() {
		return nil
	}
	if q.Ask.Bill != "" {
		if q.Bill, err = q.counter.d.Catalog.Bill(ctx, q.bills(), q.Ask.Bill); err != nil {
			return err
		}
		if q.Bill != nil && q.counter.d.Now().Before(q.Bill.ValidUntil) {
			q.Price = q.Bill.Price
			return q.finish(ctx)
		}
		q.BillVoid = true
	}
	if look {
		return q.lookBillsUp(ctx)
	}
	return nil
}

func (q *Quote) lookBillsUp(ctx context.Context) error {
	found, err := q.counter.d.Catalog.Bills(ctx, q.bills())
	switch fault.KindOf(err) {
	case "":
		q.BillsAsked = true
	case fault.Invalid, fault.Unavailable:
		q.BillProblem = err
		return nil
	default:
		return err
	}
	for _, bill := range found {
		pay, err := q.pay(bill.Price)
		if err != nil {
			return err
		}
		q.Bills = append(q.Bills, Bill{Bill: bill, Pay: pay})
	}
	return nil
}

// bills says whose bills are meant. A bill belongs to this question, so nothing of that comes from the bill
// itself.
func (q *Quote) bills() catalog.BillAsk {
	ask := catalog.BillAsk{SKU: q.Product.SKU, Account: q.Account}
	for _, s := range q.answers() {
		ask.Settings = append(ask.Settings, apiclient.Setting{Name: s.Name, Value: s.Value})
	}
	return ask
}

// Spend makes the next look-up of a quote's bills ask again, since one is being paid. It may fail: the
// upstream refuses a bill paid already.
func (s *Service) Spend(ctx context.Context, q *Quote) {
	if q.Bill == nil {
		return
	}
	if err := s.d.Catalog.SpendBills(ctx, q.bills()); err != nil {
		s.d.Log.WarnContext(ctx, "counter.bills_not_spent", "error", err)
	}
}
