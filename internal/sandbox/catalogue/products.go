package catalogue

import (
	"fmt"
	"strconv"
)

// offer is a product before it has a price: what it is, in which form, and
// either a received value, a send value, or a range.
type offer struct {
	what      string // the key of its texts
	title     string // what is received, "" for the received value itself
	sku       string // "" for a made one
	receive   Decimal
	send      Decimal // euros
	from, to  Decimal // received range; or sent range in euros if sendRange
	sendRange bool
	days      int
	bills     bool
	batch     bool
	settings  []SettingDefinition
}

// form is what all products of a kind have in common.
type form struct {
	benefits   []string
	redemption string
}

// formOf follows the table of product kinds: top-up, data, bundle and so on by
// redemption and benefits.
func formOf(what string) form {
	switch what {
	case "data":
		return form{[]string{"Mobile", "Data"}, Immediate}
	case "bundle":
		return form{[]string{"Mobile", "Minutes", "Data"}, Immediate}
	case "pin":
		return form{[]string{"Mobile", "Minutes"}, ReadReceipt}
	case "calling":
		return form{[]string{"LongDistance", "Minutes"}, ReadReceipt}
	case "voucher":
		return form{[]string{"Digital Product"}, ReadReceipt}
	case "meter":
		return form{[]string{"Electricity", "Utility"}, ReadReceipt}
	case "tv":
		return form{[]string{"TV", "Utility"}, Immediate}
	case "bill":
		return form{[]string{"Utility"}, Immediate}
	case "internet":
		return form{[]string{"Internet", "Data"}, ReadMore}
	}
	return form{[]string{"Mobile", "Minutes"}, Immediate}
}

// add prices an offer and puts it on sale.
func (b *builder) add(p *Provider, t *tariff, o offer) {
	f := formOf(o.what)
	product := &Product{
		ProviderCode: p.ProviderCode, SkuCode: b.sku(p, o.sku), CommissionRate: t.commission,
		ProcessingMode: Instant, RedemptionMechanism: f.redemption, Benefits: f.benefits,
		UatNumber: p.uat, RegionCode: p.RegionCodes[0], PaymentTypes: p.PaymentTypes,
		SettingDefinitions: o.settings, LookupBillsRequired: o.bills,
	}
	if o.settings == nil {
		product.SettingDefinitions = []SettingDefinition{}
	}
	if p.kind == kindBatch || o.batch {
		product.ProcessingMode = Batch
	}
	if o.days > 0 {
		product.ValidityPeriodIso = "P" + strconv.Itoa(o.days) + "D"
	}
	if f.redemption == ReadMore {
		product.AdditionalInformation = "Dial *123# and choose Activate to start the plan."
	}
	product.Minimum, product.Maximum = t.bounds(o)
	product.LocalizationKey = product.SkuCode
	if len(b.c.Products)%3 == 0 {
		product.LocalizationKey = "TXT" + strconv.Itoa(10_000+len(b.c.Products))
	}
	product.DefaultDisplayText = displayText(product, o.title)
	b.c.Products = append(b.c.Products, product)
	b.texts(p, product, o)
}

// bounds returns the prices of an offer, equal for a fixed one.
func (t *tariff) bounds(o offer) (least, most Price) {
	from, to := o.from, o.to
	switch {
	case o.sendRange:
		from, to = t.agent.worth(from), t.agent.worth(to)
		return t.price(from, t.received(from)), t.price(to, t.received(to))
	case to > 0:
		from, to = max(t.step(), from-from%t.step()), to-to%t.step()
		low, high := t.costs(from), t.costs(to)
		if high > low {
			return t.price(low, from), t.price(high, to)
		}
		o.receive = from
	case o.send > 0:
		send := t.agent.worth(o.send)
		fixed := t.price(send, t.received(send))
		return fixed, fixed
	}
	receive := max(t.step(), o.receive-o.receive%t.step())
	fixed := t.price(t.costs(receive), receive)
	return fixed, fixed
}

func displayText(p *Product, title string) string {
	low, high := p.Minimum, p.Maximum
	switch {
	case title != "":
		return title
	case p.Fixed():
		return low.ReceiveCurrencyIso + " " + low.ReceiveValue.String()
	}
	return fmt.Sprintf("%s %s to %s", low.ReceiveCurrencyIso, low.ReceiveValue, high.ReceiveValue)
}

// sku returns the wanted SKU, or a made one, unique in either case.
func (b *builder) sku(p *Provider, wanted string) string {
	rng := b.rng("sku" + p.ProviderCode + strconv.Itoa(len(b.c.Products)))
	for sku := wanted; ; sku = p.ProviderCode + strconv.Itoa(1000+rng.IntN(99_000)) {
		if sku != "" && !b.skus[sku] {
			b.skus[sku] = true
			return sku
		}
	}
}
