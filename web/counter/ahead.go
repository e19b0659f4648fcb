package counter

import (
	"net/url"

	"airtill/internal/catalog"
	"airtill/internal/customer"
	"airtill/web/frame"
)

// Ahead is what the counter will ask the database about a number and its product.
func (s *Screens) Ahead(form url.Values, seen frame.Seen) []frame.Asked {
	typed := s.Numbers.Open(form.Get("number"))
	number, err := catalog.ParseNumber(typed, seen.Country)
	if err != nil || form.Get("step") == frame.StepNumber || customer.Asks(typed) {
		return nil
	}
	var asked []frame.Asked
	if form.Get("provider") == "" {
		asked = append(asked, s.D.Catalog.AskLookup(number))
	}
	if form.Get("sku") == "" {
		return append(asked, s.D.Customers.AskOf(seen.Shop, number.Digits),
			s.D.Sales.AskBought(seen.Shop, number.Digits, beforeShown))
	}
	product, found := s.D.Catalog.Current().Product(form.Get("sku"))
	if found && product.Addressed() && !seen.Practice {
		asked = append(asked, s.D.Sales.AskCheck(number.Digits, product.SKU, product.Minimum.SendCurrency)...)
	}
	return asked
}
