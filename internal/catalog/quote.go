package catalog

import (
	"github.com/shopspring/decimal"

	"airtill/internal/fault"
	"airtill/internal/money"
)

// Quote returns the price of sending an amount, in the product's send currency.
// It is exact for a fixed product and at the ends of a range; between them it
// is an estimate, on the line from Minimum to Maximum (FACTS.md, Range pricing):
// Service.Estimate has the binding one. An amount out of range is a fault on
// the field "amount".
func (p *Product) Quote(send money.Amount) (Price, error) {
	if err := within("amount", send, p.Minimum.Send(), p.Maximum.Send()); err != nil {
		return Price{}, err
	}
	return p.onLine(send.Micros()-p.Minimum.SendMicros, p.Maximum.SendMicros-p.Minimum.SendMicros), nil
}

// QuoteReceive returns the estimated price of an amount to be received, in the
// product's receive currency. An amount out of range is a fault on the field
// "amount".
func (p *Product) QuoteReceive(receive money.Amount) (Price, error) {
	if err := within("amount", receive, p.Minimum.Receive(), p.Maximum.Receive()); err != nil {
		return Price{}, err
	}
	price := p.onLine(receive.Micros()-p.Minimum.ReceiveMicros, p.Maximum.ReceiveMicros-p.Minimum.ReceiveMicros)
	price.ReceiveMicros = receive.Micros()
	return price, nil
}

// within says what the amount has to be.
func within(field string, amount, low, high money.Amount) error {
	belowLow, err := amount.Cmp(low)
	if err != nil {
		return fault.OnField(field, "Enter the amount in %s.", low.Currency())
	}
	if aboveHigh, _ := amount.Cmp(high); belowLow < 0 || aboveHigh > 0 {
		return fault.OnField(field, "Enter an amount from %s to %s.", low, high)
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
	price.CustomerFeeMicros = between(low.CustomerFeeMicros, high.CustomerFeeMicros, cents)
	price.DistributorFeeMicros = between(low.DistributorFeeMicros, high.DistributorFeeMicros, cents)
	return price
}
