package pricing

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/staff"
)

// Tariff is what one shop charges at one time.
type Tariff struct {
	ShopID   string
	Currency money.Currency // of its tills
	At       time.Time

	day   string // of the shop's own calendar, like 2026-03-31
	zone  *time.Location
	rules []Rule // in use, highest priority first
	rates []Rate
}

// Until returns when the tariff changes by itself: when the day ends, since rules hold for whole days, or another
// rate begins.
func (t *Tariff) Until() time.Time {
	year, month, day := t.At.In(t.zone).Date()
	until := staff.DayBegins(year, month, day+1, t.zone)
	for _, r := range t.rates {
		if r.ValidFrom.After(t.At) && r.ValidFrom.Before(until) {
			until = r.ValidFrom
		}
	}
	return until
}

// Subject is a transfer to be priced.
type Subject struct {
	Country        string
	Provider       string
	Kind           string
	SKU            string
	Send           money.Amount // SendValue, the customer fee included: it is never charged on top
	DistributorFee money.Amount
	CommissionRate string // a fraction in decimal text
}

// Priced is a counter price and how it came about.
type Priced struct {
	Price  money.Amount
	Cost   money.Amount // SendValue and fee less the expected commission, in the till's currency
	Rule   *Rule        // the one that decided; nil: none
	Raised bool         // the rule would have gone below cost
}

// Retail returns the counter price of a product at a price of the catalogue.
func (t *Tariff) Retail(p *catalog.Product, country string, price catalog.Price) (money.Amount, error) {
	priced, err := t.Price(Subject{
		Country: country, Provider: p.Provider, Kind: string(p.Kind), SKU: p.SKU,
		Send: price.Send(), DistributorFee: price.DistributorFee(), CommissionRate: p.CommissionRate,
	})
	return priced.Price, err
}

// Price returns the counter price of a transfer: by a rule, or else the SendValue, always rounded up to the
// currency's smallest coin or as the rule says, raised to the cost or not. It fails if the till's currency needs a
// rate and there is none.
func (t *Tariff) Price(s Subject) (Priced, error) {
	rate, err := t.rateOf(s.Send.Currency())
	if err != nil {
		return Priced{}, err
	}
	send, err := converted(s.Send, rate, t.Currency)
	if err != nil {
		return Priced{}, err
	}
	p := Priced{Rule: t.ruleFor(s)}
	if p.Cost, err = t.cost(s, send, rate); err != nil {
		return Priced{}, err
	}
	rounding := ""
	if p.Rule == nil {
		p.Price, err = roundUp(send, rounding)
	} else {
		rounding = p.Rule.Rounding
		p.Price, err = p.Rule.apply(send)
	}
	if err != nil {
		return Priced{}, err
	}
	below, err := p.Price.Cmp(p.Cost)
	if err != nil || below >= 0 || p.Rule != nil && p.Rule.BelowCost {
		return p, err
	}
	p.Raised = true
	p.Price, err = roundUp(p.Cost, rounding)
	return p, err
}

func (t *Tariff) cost(s Subject, send money.Amount, rate decimal.Decimal) (money.Amount, error) {
	fraction, err := money.Rate(s.CommissionRate)
	if err != nil {
		fraction = decimal.Zero // unknown: none is expected
	}
	commission, err := send.Times(fraction, microDecimals)
	if err != nil {
		return money.Amount{}, err
	}
	fee, err := converted(s.DistributorFee, rate, t.Currency)
	if err != nil {
		return money.Amount{}, err
	}
	return money.Sum(t.Currency, send, fee, commission.Neg())
}

func (t *Tariff) ruleFor(s Subject) *Rule {
	for i := range t.rules {
		if t.rules[i].fits(t.ShopID, s, t.day) {
			return &t.rules[i]
		}
	}
	return nil
}

// With returns the tariff as it would be with a draft rule.
func (t *Tariff) With(draft Rule) *Tariff {
	with := *t
	with.rules = sorted(append([]Rule{draft}, t.rules...))
	return &with
}

// Without returns the tariff as it would be without a rule.
func (t *Tariff) Without(ruleID string) *Tariff {
	left := *t
	left.rules = slices.DeleteFunc(slices.Clone(t.rules), func(r Rule) bool { return r.ID == ruleID })
	return &left
}

// microDecimals is how many decimals an amount has.
const microDecimals = 6

func converted(a money.Amount, rate decimal.Decimal, to money.Currency) (money.Amount, error) {
	product, err := a.Times(rate, microDecimals)
	return money.Of(product.Micros(), to), err
}

func (t *Tariff) rateOf(from money.Currency) (decimal.Decimal, error) {
	if from == t.Currency {
		return decimal.NewFromInt(1), nil
	}
	rate, ok := RateAt(t.rates, from, t.Currency, t.At)
	if !ok {
		return decimal.Zero, fault.New(fault.Conflict, "rate.missing", t.Currency, from)
	}
	return rate, nil
}

// roundUp rounds in the shop's favour: to the currency's smallest coin, to a multiple of a sum, or to the next
// sum that ends in .99.
func roundUp(a money.Amount, rounding string) (money.Amount, error) {
	step, less := a.Currency().Coin(), int64(0)
	switch rounding {
	case "":
	case EndsIn99:
		if step < money.Scale { // no yen ends in .99
			step, less = money.Scale, money.Scale/100
		}
	default:
		multiple, err := money.Parse(rounding, a.Currency())
		if err != nil {
			return money.Amount{}, err
		}
		step = max(multiple.Micros(), step)
	}
	rest := (a.Micros() + less) % step
	if rest == 0 {
		return a, nil
	}
	return a.Add(money.Of(step-rest, a.Currency()))
}
