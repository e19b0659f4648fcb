package counter

import (
	"context"
	"errors"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
)

// RangeError says that a typed amount is out of range.
type RangeError struct{ Least, Most money.Amount }

// Error is for the log.
func (e *RangeError) Error() string {
	return "the amount is not from " + e.Least.String() + " to " + e.Most.String()
}

// ErrNoQuote says that an amount within the range has no price all the same.
var ErrNoQuote = errors.New("no price for this amount")

// readAmount reads the typed amount. The received amount within a range is our own figure until it is priced
// by what is paid, whichever of the two was typed. A price shown on a page stands, even if rates and rules
// have changed since.
func (q *Quote) readAmount() (err error) {
	p := q.Product
	q.Price = p.Minimum
	if p.Fixed() && !p.LookupBillsRequired {
		return nil
	}
	if q.Least, q.Most, err = q.tariff.PayRange(p, q.Provider.Country); err != nil || !q.Range() {
		return err
	}
	switch ask := q.Ask; {
	case ask.Receive != "":
		q.typedGet, q.ReceiveProblem = q.typed(ask.Receive, p.Minimum.Receive(), p.Maximum.Receive())
		if q.ReceiveProblem == nil {
			q.Price, q.ReceiveProblem = quoted(p.QuoteReceive, q.typedGet)
		}
	case ask.Pay != "" || ask.Send == "":
		q.typedPay, q.PayProblem = q.typed(ask.Pay, q.Least, q.Most)
		if q.PayProblem == nil {
			q.Price, err = q.tariff.ForPay(p, q.Provider.Country, q.typedPay)
		}
	}
	if err != nil || q.Ask.Send == "" {
		return err
	}
	send, err := money.Parse(q.Ask.Send, p.Minimum.SendCurrency)
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "page.too-old-to-sell")
	}
	q.Price, q.PayProblem = quoted(p.Quote, send)
	q.ReceiveProblem = nil
	return nil
}

// typed reads a typed amount and checks that it is in range.
func (q *Quote) typed(text string, least, most money.Amount) (money.Amount, error) {
	amount, err := q.Ask.Amount(text, least.Currency())
	if err != nil {
		return amount, err
	}
	below, _ := amount.Cmp(least) // all three are in one currency
	above, _ := amount.Cmp(most)
	if below < 0 || above > 0 {
		return amount, &RangeError{Least: least, Most: most}
	}
	return amount, nil
}

func quoted(quote func(money.Amount) (catalog.Price, error), amount money.Amount) (catalog.Price, error) {
	price, err := quote(amount)
	if err != nil {
		return price, ErrNoQuote
	}
	return price, nil
}

// estimate has the upstream price an amount within a range.
func (q *Quote) estimate(ctx context.Context, typing bool) (err error) {
	q.Price, q.About, err = q.counter.d.Catalog.PriceOf(ctx, q.Product, q.Price.Send(), typing)
	return err
}

// pay is what a price comes to at the counter.
func (q *Quote) pay(price catalog.Price) (money.Amount, error) {
	return q.tariff.Retail(q.Product, q.Provider.Country, price)
}
