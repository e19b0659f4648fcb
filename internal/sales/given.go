package sales

import (
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/till"
)

// checkGiven refuses cash below the price, and more than anybody hands over, such as a scanned number. Nobody
// gives the price and more than the largest note on top.
func checkGiven(given, price money.Amount) error {
	if given.IsZero() {
		return nil
	}
	short, err := given.Cmp(price)
	if err != nil {
		return err
	}
	if short < 0 {
		return fault.OnField("cash", "cash.less")
	}
	cash, err := till.CashOf(price.Currency())
	if err != nil || len(cash.Notes) == 0 {
		return err
	}
	most, err := price.Add(cash.Notes[0])
	if err != nil {
		return err
	}
	if over, err := given.Cmp(most); err != nil || over <= 0 {
		return err
	}
	return fault.OnField("cash", "cash.too-much")
}
