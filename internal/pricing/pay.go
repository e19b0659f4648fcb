package pricing

import (
	"slices"
	"sort"

	"airtill/internal/catalog"
	"airtill/internal/money"
)

// cent is the step of SendValue: it has two decimals, whatever the currency.
const cent = money.Scale / 100

// PayRange returns the least and the most a customer can pay for a product.
func (t *Tariff) PayRange(p *catalog.Product, country string) (least, most money.Amount, err error) {
	for i, b := range t.bands(p, country) {
		low, _, err := t.paidFor(p, country, b.first)
		if err != nil {
			return least, most, err
		}
		high, _, err := t.paidFor(p, country, b.last)
		if err != nil {
			return least, most, err
		}
		if i == 0 || low.Micros() < least.Micros() {
			least = low
		}
		if high.Micros() > most.Micros() {
			most = high
		}
	}
	return least, most, nil
}

// ForPay returns the catalogue's price for which a customer pays a given amount within PayRange. If no SendValue
// costs exactly that, it is the nearest below, since the customer gives no more; if several do, the highest.
func (t *Tariff) ForPay(p *catalog.Product, country string, pay money.Amount) (best catalog.Price, err error) {
	most := int64(-1)
	for _, b := range t.bands(p, country) {
		dearer := b.first + sort.Search(b.last-b.first+1, func(i int) bool {
			paid, _, paidErr := t.paidFor(p, country, b.first+i)
			if paidErr != nil {
				err = paidErr
			}
			return paid.Micros() > pay.Micros()
		})
		if err != nil || dearer == b.first {
			continue
		}
		paid, price, paidErr := t.paidFor(p, country, dearer-1)
		if paidErr != nil {
			err = paidErr
		} else if paid.Micros() >= most {
			best, most = price, paid.Micros()
		}
	}
	return best, err
}

// paidFor is the counter price of a SendValue that many cents above the product's least.
func (t *Tariff) paidFor(p *catalog.Product, country string, cents int) (money.Amount, catalog.Price, error) {
	send := min(p.Minimum.SendMicros+int64(cents)*cent, p.Maximum.SendMicros)
	price, err := p.Quote(money.Of(send, p.Minimum.SendCurrency))
	if err != nil {
		return money.Amount{}, price, err
	}
	paid, err := t.Retail(p, country, price)
	return paid, price, err
}

// band is a run of SendValues, in cents above the product's least, that one rule decides: within it the price
// never falls.
type band struct{ first, last int }

func (t *Tariff) bands(p *catalog.Product, country string) []band {
	low, high := p.Minimum.SendMicros, p.Maximum.SendMicros
	end := int((high-low+cent-1)/cent) + 1
	cuts := []int{0, end}
	for _, r := range t.rules {
		s := Subject{Country: country, Provider: p.Provider, Kind: string(p.Kind), SKU: p.SKU}
		if !r.covers(t.ShopID, s, t.day) {
			continue
		}
		for _, micros := range []int64{r.FromMicros, r.ToMicros + 1} {
			if micros > low && micros <= high {
				cuts = append(cuts, int((micros-low+cent-1)/cent))
			}
		}
	}
	slices.Sort(cuts)
	var bands []band
	for i, cut := range cuts[1:] {
		if cut > cuts[i] {
			bands = append(bands, band{cuts[i], cut - 1})
		}
	}
	return bands
}

// RoundSums are round sums that people ask for, in the till's currency, within PayRange.
func (t *Tariff) RoundSums(p *catalog.Product, country string) ([]money.Amount, error) {
	least, most, err := t.PayRange(p, country)
	if err != nil {
		return nil, err
	}
	unit := int64(money.Scale) // the power of ten nearest to one unit of the agent's currency
	for most.Micros()/p.Maximum.SendMicros*money.Scale >= 3*unit {
		unit *= 10
	}
	var sums []money.Amount
	for _, units := range []int64{5, 10, 15, 20, 25, 30, 50, 100} {
		if sum := units * unit; sum >= least.Micros() && sum <= most.Micros() && len(sums) < 5 {
			sums = append(sums, money.Of(sum, t.Currency))
		}
	}
	return sums, nil
}
