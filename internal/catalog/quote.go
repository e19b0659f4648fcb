package catalog

import (
	"github.com/shopspring/decimal"

	"airtill/internal/fault"
	"airtill/internal/money"
)

// Quote returns the price of sending an amount, in the product's send currency. It is exact for a fixed
// product and at the ends of a range; in between it is an estimate on the line from Minimum to Maximum
// (FACTS.md, Range pricing): Service.Estimate has the binding one. An amount out of range is a fault on the
// field "amount".
func (p *Product) Quote(send money.Amount) (Price, error) {
	if err := within("amount", send, p.Minimum.Send(), p.Maximum.Send()); err != nil {
		return Price{}, err
	}
	return p.onLine(send.Micros()-p.Minimum.SendMicros, p.Maximum.SendMicros-p.Minimum.SendMicros), nil
}

// QuoteReceive returns the price, as Quote has it, with the received value nearest to an amount in the
// product's receive currency. An amount out of range is a fault on the field "amount".
func (p *Product) QuoteReceive(receive money.Amount) (Price, error) {
	if err := within("amount", receive, p.Minimum.Receive(), p.Maximum.Receive()); err != nil {
		return Price{}, err
	}
	span := p.Maximum.ReceiveMicros - p.Minimum.ReceiveMicros
	whole := p.Maximum.SendMicros - p.Minimum.SendMicros
	if span == 0 {
		return p.Minimum, nil
	}
	way := decimal.NewFromInt(receive.Micros() - p.Minimum.ReceiveMicros).Mul(decimal.NewFromInt(whole))
	cents, _ := way.QuoRem(decimal.NewFromInt(span).Mul(decimal.NewFromInt(cent)), 0)
	below := min(cents.IntPart()*cent, whole)
	best, above := p.onLine(below, whole), p.onLine(min(below+cent, whole), whole)
	if distance(above.ReceiveMicros, receive.Micros()) < distance(best.ReceiveMicros, receive.Micros()) {
		best = above
	}
	return best, nil
}

// cent is the step of what is sent.
const cent = money.Scale / 100

func distance(a, b int64) int64 { return max(a-b, b-a) }

// within says what the amount has to be.
func within(field string, amount, low, high money.Amount) error {
	belowLow, err := amount.Cmp(low)
	if err != nil {
		return fault.OnField(field, "amount.currency", low.Currency())
	}
	if aboveHigh, _ := amount.Cmp(high); belowLow < 0 || aboveHigh > 0 {
		return fault.OnField(field, "amount.range", low, high)
	}
	return nil
}

// onLine returns the price at part/whole of the way from Minimum to Maximum.
func (p *Product) onLine(part, whole int64) Price {
	if part == 0 {
		return p.Minimum
	}
	if part == whole {
		return p.Maximum
	}
	low, high := p.Minimum, p.Maximum
	between := func(from, to int64, round func(decimal.Decimal) decimal.Decimal) int64 {
		way := decimal.NewFromInt(to - from).Mul(decimal.NewFromInt(part)).Div(decimal.NewFromInt(whole))
		return round(way.Add(decimal.NewFromInt(from)).Shift(-6)).Shift(6).IntPart()
	}
	cents := func(d decimal.Decimal) decimal.Decimal { return d.Round(2) }
	received := cents
	if low.ReceiveCurrency.Decimals() == 0 {
		received = func(d decimal.Decimal) decimal.Decimal { return d.RoundDown(0) }
	}
	price := low
	price.SendMicros = between(low.SendMicros, high.SendMicros, cents)
	price.ReceiveMicros = between(low.ReceiveMicros, high.ReceiveMicros, received)
	price.ReceiveNetMicros = between(low.ReceiveNetMicros, high.ReceiveNetMicros, received)
	if low.net(low.ReceiveMicros) == low.ReceiveNetMicros && high.net(high.ReceiveMicros) == high.ReceiveNetMicros {
		price.ReceiveNetMicros = low.net(price.ReceiveMicros)
	}
	price.CustomerFeeMicros = between(low.CustomerFeeMicros, high.CustomerFeeMicros, cents)
	price.DistributorFeeMicros = between(low.DistributorFeeMicros, high.DistributorFeeMicros, cents)
	return price
}

// net is what remains of a received value after tax as both ends of the range have it: included, or deducted.
func (p Price) net(receive int64) int64 {
	rate, err := money.Rate(p.TaxRate)
	if err != nil || p.TaxCalculation == "" {
		return receive
	}
	one, step := decimal.NewFromInt(1), decimal.NewFromInt(cent)
	if p.ReceiveCurrency.Decimals() == 0 {
		step = decimal.NewFromInt(money.Scale)
	}
	net := decimal.NewFromInt(receive).Mul(one.Sub(rate))
	if p.TaxCalculation == "Inclusive" {
		net = decimal.NewFromInt(receive).Div(one.Add(rate))
	}
	return net.Div(step).Round(0).Mul(step).IntPart()
}
