package catalogue

// terms are a provider's conditions of sale; rates are fractions.
type terms struct {
	margin         Decimal // of the send value, kept by those in between
	commission     Decimal
	customerFee    Decimal // agent currency
	distributorFee Decimal // agent currency
	taxRate        Decimal // 0: none named
	taxName        string
	taxCalculation string // Inclusive, Exclusive, or "": the provider sees to it
}

// tariff turns send values in agent currency into received ones and back.
type tariff struct {
	terms
	agentISO, receiveISO string
	agent, receive       rate
}

// step is the smallest difference between two received values.
func (t *tariff) step() Decimal {
	if t.receive.whole {
		return Unit
	}
	return Cent
}

// effective is how many received units one sent unit buys.
func (t *tariff) effective() Decimal {
	kept := Unit - t.margin
	return max(1, mulDiv(t.receive.units, kept, t.agent.units, 1, down))
}

// received returns what a send value buys, rounded down.
func (t *tariff) received(send Decimal) Decimal {
	net := max(0, send-t.customerFee)
	return max(t.step(), mulDiv(net, t.effective(), Unit, t.step(), down))
}

// costs returns the send value that buys a received value, rounded up to the
// cent.
func (t *tariff) costs(receive Decimal) Decimal {
	return max(Cent, mulDiv(receive, Unit, t.effective(), Cent, up)) + t.customerFee
}

// price states a send value with what it buys.
func (t *tariff) price(send, receive Decimal) Price {
	p := Price{
		CustomerFee: t.customerFee, DistributorFee: t.distributorFee,
		SendValue: send, SendCurrencyIso: t.agentISO,
		ReceiveValue: receive, ReceiveCurrencyIso: t.receiveISO,
	}
	if t.taxRate > 0 {
		p.TaxRate, p.TaxName = &t.taxRate, &t.taxName
	}
	if t.taxCalculation != "" {
		p.TaxCalculation = &t.taxCalculation
	}
	p.ReceiveValueExcludingTax = excludingTax(p, t.step())
	return p
}

// excludingTax returns the received value without tax: value ÷ (1 + rate) when
// the tax is inside the value, value × (1 − rate) when the provider takes it
// off, and the value itself when the provider sees to the tax.
func excludingTax(p Price, step Decimal) Decimal {
	switch {
	case p.TaxRate == nil || p.TaxCalculation == nil:
		return p.ReceiveValue
	case *p.TaxCalculation == "Inclusive":
		return mulDiv(p.ReceiveValue, Unit, Unit+*p.TaxRate, step, nearest)
	}
	return mulDiv(p.ReceiveValue, Unit-*p.TaxRate, Unit, step, nearest)
}

// PriceOf returns the price of a product at a send value in agent currency
// between its bounds: linear between Minimum and Maximum, rounded to two
// decimals, or down to whole units where the currency has it so.
func (c *Catalogue) PriceOf(p *Product, send Decimal) Price {
	price := p.Minimum
	if send == p.Minimum.SendValue {
		return price
	}
	step, way := Cent, nearest
	if c.world.rates[price.ReceiveCurrencyIso].whole {
		step, way = Unit, down
	}
	spanSend := p.Maximum.SendValue - p.Minimum.SendValue
	spanReceive := p.Maximum.ReceiveValue - p.Minimum.ReceiveValue
	price.SendValue = send
	// Minimum is a multiple of the step, so rounding what lies above it is enough.
	price.ReceiveValue += mulDiv(send-p.Minimum.SendValue, spanReceive, spanSend, step, way)
	price.ReceiveValueExcludingTax = excludingTax(price, step)
	return price
}

// PriceToReceive returns the price whose received value is the nearest the
// provider can supply, and whether it is exactly the one asked for.
func (c *Catalogue) PriceToReceive(p *Product, receive Decimal) (Price, bool) {
	least, most := p.Minimum, p.Maximum
	switch {
	case p.Fixed() || receive <= least.ReceiveValue:
		return least, receive == least.ReceiveValue
	case receive >= most.ReceiveValue:
		return most, receive == most.ReceiveValue
	}
	span := most.ReceiveValue - least.ReceiveValue
	below := least.SendValue + mulDiv(receive-least.ReceiveValue, most.SendValue-least.SendValue, span, Cent, down)
	best := c.PriceOf(p, below)
	if above := c.PriceOf(p, min(below+Cent, most.SendValue)); distance(above.ReceiveValue, receive) < distance(best.ReceiveValue, receive) {
		best = above
	}
	return best, best.ReceiveValue == receive
}

func distance(a, b Decimal) Decimal { return max(a-b, b-a) }

// Worth returns about so many euros in the agent's currency.
func (c *Catalogue) Worth(euros Decimal) Decimal { return c.world.rates[c.Currency].worth(euros) }

// Convert returns an amount of one currency in another, rounded to the cent,
// and whether both rates are known.
func (c *Catalogue) Convert(amount Decimal, from, to string) (Decimal, bool) {
	source, ok := c.world.rates[from]
	target, ok2 := c.world.rates[to]
	if !ok || !ok2 {
		return 0, false
	}
	return mulDiv(amount, target.units, source.units, Cent, nearest), true
}
