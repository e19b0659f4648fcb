package counter

import (
	"context"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/fault"
)

// settleBill takes the bill that was chosen, which is paid in full, or looks up the bills
// to choose from. What cannot be paid is void: it was another number's, other settings', or
// is too old.
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

// bills says whose bills are meant. What a bill belongs to follows from it, so nothing of
// it comes from the bill itself.
func (q *Quote) bills() catalog.BillAsk {
	ask := catalog.BillAsk{SKU: q.Product.SKU, Account: q.Account}
	for _, s := range q.answers() {
		ask.Settings = append(ask.Settings, apiclient.Setting{Name: s.Name, Value: s.Value})
	}
	return ask
}

// Spend has the bills of a quote looked up anew next time, since one is being paid. It may
// fail: whoever chooses the paid one again is refused by the upstream.
func (s *Service) Spend(ctx context.Context, q *Quote) {
	if q.Bill == nil {
		return
	}
	if err := s.d.Catalog.SpendBills(ctx, q.bills()); err != nil {
		s.d.Log.WarnContext(ctx, "counter.bills_not_spent", "error", err)
	}
}
