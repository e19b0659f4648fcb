// Package pricing says what a customer pays at the counter for what a product
// costs upstream.
package pricing

import (
	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
)

// Retail returns the counter price of a transfer in a till's currency. Without
// a price rule that is the SendValue; the customer fee is inside it and is
// never charged on top. A price finer than the currency's smallest coin is
// rounded up to it.
func Retail(p catalog.Price, till money.Currency) (money.Amount, error) {
	send := p.Send()
	if send.Currency() != till {
		return money.Amount{}, fault.New(fault.Conflict, "This till takes %s, and this product costs %s. A manager must set an exchange rate first.", till, send.Currency())
	}
	return roundUp(send)
}

// roundUp rounds to the currency's smallest coin, in the shop's favour.
func roundUp(a money.Amount) (money.Amount, error) {
	coin := int64(money.Scale)
	for range a.Currency().Decimals() {
		coin /= 10
	}
	rest := a.Micros() % coin
	if rest == 0 {
		return a, nil
	}
	return a.Add(money.Of(coin-rest, a.Currency()))
}
