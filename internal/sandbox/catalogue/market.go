package catalogue

import (
	"fmt"
	"strings"
)

// rounds is how many products each mobile provider of the own market has;
// other kinds have as many as their ladder has steps.
const rounds = 10

// fromMarket makes the simulator's own market. Products come in rounds over
// all providers, so that a small number of them still has every kind.
func (b *builder) fromMarket() {
	tariffs := map[*Provider]*tariff{}
	for _, brand := range b.world.brands {
		p := b.provider(brand.country, brand.kind, brand.name, brand.detail)
		tariffs[p] = b.tariff(p, b.world.byISO[brand.country].currency)
	}
	wanted := b.options.Products
	for round := 0; wanted > 0 || round < rounds; round++ {
		for _, p := range b.c.Providers {
			if wanted > 0 && len(b.c.Products) == wanted {
				return
			}
			if o, ok := b.offer(p, tariffs[p], round); ok {
				b.add(p, tariffs[p], o)
			}
		}
	}
}

// offer returns what a provider adds in a round. Ladders end; mobile providers
// and vouchers go on with ever larger denominations.
func (b *builder) offer(p *Provider, t *tariff, round int) (offer, bool) {
	switch p.kind {
	case kindMobile, kindBatch:
		return b.mobileOffer(p, t, round), true
	case kindVoucher:
		return voucherOffer(t, round), true
	case kindCalling:
		return callingOffer(t, round), round < 4
	case kindMeter:
		return meterOffer(t, round), round < 4
	case kindTV:
		return tvOffer(t, round), round < 5
	}
	return billOffer(p), round == 0
}

func (b *builder) mobileOffer(p *Provider, t *tariff, round int) offer {
	cycle, size := round/rounds, round/rounds+1
	switch round % rounds {
	case 0:
		if cycle == 0 {
			return offer{what: "topup", sku: p.CountryIso + "_" + p.ProviderCode[:2] + "_TopUp", from: 2 * Unit, to: 80 * Unit, sendRange: true}
		}
	case 1:
		return offer{what: "data", title: fmt.Sprintf("%d GB, 7 days", size), receive: t.round(Decimal(size) * 4 * Unit), days: 7}
	case 3:
		return offer{what: "bundle", title: fmt.Sprintf("%d minutes + %d GB, 30 days", 100*size, 5*size), receive: t.round(Decimal(size) * 12 * Unit), days: 30}
	case 5:
		return offer{what: "data", title: fmt.Sprintf("%d GB, 30 days", 20*size), receive: t.round(Decimal(size) * 18 * Unit), days: 30}
	case 6:
		return offer{what: "bundle", title: fmt.Sprintf("**Unlimited** calls, %d GB", 10*size), receive: t.round(Decimal(size) * 15 * Unit), days: 28}
	case 7:
		if b.rng("pin"+p.ProviderCode).IntN(2) == 0 {
			return offer{what: "pin", receive: t.round(Decimal(size) * 10 * Unit), days: 90}
		}
		return offer{what: "internet", title: fmt.Sprintf("Router plan %d GB", 40*size), receive: t.round(Decimal(size) * 22 * Unit), days: 30}
	case 9:
		return offer{what: "data", title: fmt.Sprintf("%d MB, 1 day", 300*size), receive: t.round(Decimal(size) * Unit), days: 1}
	}
	return offer{what: "topup", receive: t.round(Decimal(5*(round%rounds/2)+30*cycle+5) * Unit)}
}

// round returns a denomination people know, worth about so much in euros: 1,
// 1.5, 2, 3, 5 or 7 times a power of ten of the received currency.
func (t *tariff) round(euros Decimal) Decimal {
	value := mulDiv(euros, t.receive.units, Unit, t.step(), down)
	for power := Decimal(1_000_000_000) * Unit; power >= Cent; power /= 10 {
		for _, tenths := range []Decimal{70, 50, 40, 30, 25, 20, 15, 10} {
			denomination := power / 10 * tenths
			if value >= denomination && denomination%t.step() == 0 {
				return denomination
			}
		}
	}
	return t.step()
}

func voucherOffer(t *tariff, round int) offer {
	ladder := []Decimal{10, 25, 50, 5, 15, 20, 100, 30, 75, 150}
	value := ladder[round%len(ladder)] + Decimal(round/len(ladder))*200
	return offer{what: "voucher", receive: t.round(value * Unit), days: 365}
}

func callingOffer(t *tariff, round int) offer {
	ladder := []Decimal{5, 10, 20, 2}
	return offer{what: "calling", title: fmt.Sprintf("%d minutes worldwide", 60*ladder[round%len(ladder)]), receive: t.round(ladder[round%len(ladder)] * Unit), days: 180}
}

func meterOffer(t *tariff, round int) offer {
	settings := []SettingDefinition{{Name: "MeterId", Description: "Meter number as printed on the meter", IsMandatory: true}}
	if round == 0 {
		return offer{what: "meter", from: 5 * Unit, to: 150 * Unit, sendRange: true, settings: settings}
	}
	ladder := []Decimal{0, 10, 20, 50}
	return offer{what: "meter", receive: t.round(ladder[round%len(ladder)] * Unit), settings: settings}
}

func tvOffer(t *tariff, round int) offer {
	names := []string{"Basic", "Family", "Sports", "Cinema", "Premium"}
	settings := []SettingDefinition{{Name: "Months (1-12)", Description: "How many months to pay for"}}
	return offer{what: "tv", title: names[round%len(names)] + " package, 1 month", receive: t.round(Decimal(4*round+5) * Unit), days: 30, settings: settings}
}

// billOffer is one range product for each biller; half of them are fulfilled
// in batches and half need the name of the account's holder.
func billOffer(p *Provider) offer {
	o := offer{what: "bill", title: "Bill payment", from: Unit, to: 300 * Unit, sendRange: true, bills: true}
	o.batch = strings.Contains("EG PH", p.CountryIso)
	if !o.batch {
		o.settings = []SettingDefinition{{Name: "Holder's name", Description: "Name of the account's holder", IsMandatory: true}}
	}
	return o
}
