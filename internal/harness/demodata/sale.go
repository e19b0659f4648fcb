package demodata

import (
	encoding "encoding/base32"
	"fmt"
	"strings"
	"time"

	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
	"airtill/internal/store"
)

// told is a sale with all that happened to it.
type told struct {
	sale     sales.Sale
	events   []sales.Event
	journals []ledger.Entry
}

// drawn is what a sale is of.
type drawn struct {
	provider provider
	product  product
	outcome  outcome
}

func (g *Generator) draw() drawn {
	p := market[pick(g, market, func(p provider) int64 { return p.weight })]
	products := g.shelves[p.code]
	return drawn{
		provider: p, product: products[pick(g, products, func(x product) int64 { return x.weight })],
		outcome: outcomes[pick(g, outcomes, func(o outcome) int64 { return o.weight })],
	}
}

// sell tells the story of one sale, from the cash to the end.
func (g *Generator) sell(s shift, number int, at time.Time) (*told, error) {
	d := g.draw()
	t := &told{sale: g.order(d, s, number, at)}
	began := sales.Observation{Cause: sales.Confirmed, At: at, Source: "counter", Actor: t.sale.CashierID}
	if err := t.apply(began); err != nil {
		return nil, err
	}
	return t, g.fulfil(t, d, at)
}

func (g *Generator) fulfil(t *told, d drawn, at time.Time) error {
	if d.outcome.voided {
		at = at.Add(61 * time.Second)
		return t.refund(at, sales.Observation{Cause: sales.TooLate, At: at, Source: "sweep"})
	}
	at = at.Add(20 * time.Millisecond)
	if err := t.apply(sales.Observation{Cause: sales.Permitted, At: at, Source: "dispatch", Permit: sales.Permit{By: "seed", Number: 1}}); err != nil {
		return err
	}
	answered := sales.Observation{Cause: sales.Replied, State: sales.Complete, Source: "reply", Facts: g.facts(t.sale)}
	switch {
	case d.outcome.code != "":
		answered.State, answered.Facts, answered.ReasonCode, answered.ReasonContext = sales.Failed, nil, d.outcome.code, d.outcome.context
		answered.At = at.Add(g.between(300*time.Millisecond, 9*time.Second))
		return t.refund(answered.At, answered)
	case d.outcome.lost:
		at = at.Add(100 * time.Second)
		if err := t.apply(sales.Observation{Cause: sales.Lost, At: at, Source: "reply", ReasonCode: "lost"}); err != nil {
			return err
		}
		answered.Cause, answered.Source, answered.At = sales.Listed, "sweep", at.Add(3*time.Second)
	case t.sale.Batch():
		at = at.Add(g.between(400*time.Millisecond, 2*time.Second))
		if err := t.apply(sales.Observation{Cause: sales.Replied, State: sales.Submitted, At: at, Source: "reply"}); err != nil {
			return err
		}
		answered.Cause, answered.Source, answered.At = sales.Listed, "sweep", at.Add(g.between(30*time.Second, 8*time.Minute))
	default:
		answered.At = at.Add(g.between(350*time.Millisecond, 3*time.Second))
	}
	return t.apply(answered)
}

func (g *Generator) between(least, most time.Duration) time.Duration {
	return least + time.Duration(g.random.Int64N(int64(most-least)))
}

// refund ends a sale without a transfer, and hands the cash back.
func (t *told) refund(at time.Time, end sales.Observation) error {
	if err := t.apply(end); err != nil {
		return err
	}
	return t.apply(sales.Observation{Cause: sales.Refunded, At: at.Add(40 * time.Second), Source: "counter", Actor: t.sale.CashierID, ShiftID: t.sale.ShiftID})
}

// apply feeds the reducer, and keeps what it made of the sale.
func (t *told) apply(o sales.Observation) error {
	o.At = store.Moment(o.At)
	before := t.sale
	change, err := sales.Apply(before, o)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Cause, err)
	}
	t.sale = change.Sale
	if !change.Moved {
		return nil
	}
	t.sale.Events++
	t.events = append(t.events, sales.Event{
		SaleID: t.sale.ID, Seq: t.sale.Events, At: o.At, Cause: o.Cause, Source: o.Source, Ref: t.sale.Ref,
		Was: position(before), Became: position(t.sale), Actor: o.Actor, Note: strings.TrimSpace(o.ReasonCode + " " + o.ReasonContext),
	})
	for _, j := range change.Journals {
		t.journals = append(t.journals, ledger.Entry{Key: fmt.Sprintf("%s/%d", t.sale.ID, t.sale.Events), SaleID: t.sale.ID, At: o.At, Journal: j})
	}
	return nil
}

func position(s sales.Sale) string { return string(s.Fulfilment) + "/" + string(s.Cash) }

// order is the sale as the cashier confirms it. Every shop adds a little to the
// smallest amounts.
func (g *Generator) order(d drawn, s shift, number int, at time.Time) sales.Sale {
	id := g.id(at)
	price := d.product.send
	if price < 10*money.Scale {
		price += 300_000
	}
	account := "0000000000"
	if d.provider.prefix != "" {
		account = d.provider.prefix + g.text("0123456789", 7)
	}
	return sales.Sale{
		ID: id, IdempotencyKey: "seed-" + id, ParamsHash: "seed", ShopID: s.ShopID, TillID: s.TillID, ShiftID: s.ID, Number: number,
		Code: g.code(), CashierID: s.CashierID, Language: "en", Terms: g.terms(d, account, price),
		Send: sales.Send{Attempt: 1, Ref: install + id + "01"}, Cash: sales.CashNone,
	}
}

func (g *Generator) terms(d drawn, account string, price int64) sales.Terms {
	return sales.Terms{
		CountryISO: d.provider.country, ProviderCode: d.provider.code, ProviderName: d.provider.name, SKUCode: d.product.sku, ProductText: d.product.text,
		Kind: d.product.kind, ProcessingMode: d.product.mode, Redemption: d.product.redemption, Validity: d.product.validity,
		AccountNumber: account, Settings: "[]",
		SendMicros: d.product.send, CustomerFeeMicros: d.provider.fee, SendCurrency: "EUR",
		ReceiveMicros: d.product.send * d.provider.perEuro, ReceiveExTaxMicros: d.product.send * d.provider.perEuro, ReceiveCurrency: d.provider.currency,
		TaxRate: "0", CommissionRate: d.provider.rate, PriceMicros: price, PriceCurrency: "EUR",
	}
}

// facts are what the upstream's record tells. Once in a while it credits another
// commission than its catalogue says.
func (g *Generator) facts(s sales.Sale) *sales.Facts {
	rate, err := money.Rate(s.CommissionRate)
	if err != nil {
		return nil
	}
	commission, err := money.Of(s.SendMicros, s.SendCurrency).Times(rate, 2)
	if err != nil {
		return nil
	}
	if g.random.IntN(400) == 0 {
		commission = money.Of(commission.Micros()/2/10_000*10_000, s.SendCurrency) // whole cents
	}
	return &sales.Facts{TransferRef: g.text("0123456789", 12), ProviderRef: g.text("0123456789", 9), Commission: commission}
}

// id is an id of the moment, but with invented chance.
func (g *Generator) id(at time.Time) string {
	const ofTime = 10 // characters
	var chance [10]byte
	for i := range chance {
		chance[i] = byte(g.random.UintN(256))
	}
	return store.FirstID(at)[:ofTime] + crockford.EncodeToString(chance[:])
}

var crockford = encoding.NewEncoding(base32)
