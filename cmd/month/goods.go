package main

import (
	"context"
	"fmt"

	"airtill/internal/apiclient"
	"airtill/internal/ledger"
	"airtill/internal/money"
	"airtill/internal/sales"
)

// goods are what the shops sell: some top-ups of one operator, and one that is
// worked in batches.
type goods struct {
	instant []sales.Offer
	batch   sales.Offer
}

const (
	batchSKU     = "CU_IS_TopUp"
	someNumber   = "353871234567"
	instantMost  = 6
	mostExpected = 40 * money.Scale // price; nothing here needs a manager
)

func readGoods(ctx context.Context, client *apiclient.Client) (g goods, err error) {
	found, err := client.GetAccountLookup(ctx, someNumber)
	if err != nil {
		return g, err
	}
	products, err := client.GetProducts(ctx, apiclient.ProductFilter{ProviderCodes: []string{found.Items[0].ProviderCode}})
	if err != nil {
		return g, err
	}
	for _, p := range products.Items {
		fixed := p.Minimum.SendValue == p.Maximum.SendValue && p.ProcessingMode == apiclient.ModeInstant
		if !fixed || p.RedemptionMechanism != apiclient.RedeemImmediate || len(p.SettingDefinitions) > 0 || p.LookupBillsRequired || len(g.instant) == instantMost {
			continue
		}
		offer, err := offerOf(p, "IE")
		if err != nil {
			return g, err
		}
		if offer.Price.Micros() <= mostExpected {
			g.instant = append(g.instant, offer)
		}
	}
	batch, err := client.GetProducts(ctx, apiclient.ProductFilter{SkuCodes: []string{batchSKU}})
	if err != nil {
		return g, err
	}
	if len(g.instant) == 0 || len(batch.Items) != 1 {
		return g, fmt.Errorf("the simulator sells %d fitting top-ups and %d of %s", len(g.instant), len(batch.Items), batchSKU)
	}
	g.batch, err = offerOf(batch.Items[0], "CU")
	return g, err
}

// offerOf prices a product at its SendValue and 30 cents.
func offerOf(p apiclient.Product, country string) (sales.Offer, error) {
	own, theirs := money.Currency(p.Minimum.SendCurrencyIso), money.Currency(p.Minimum.ReceiveCurrencyIso)
	read := reader{}
	price := p.Minimum
	offer := sales.Offer{
		CountryISO: country, ProviderCode: p.ProviderCode, ProviderName: p.ProviderCode, SKUCode: p.SkuCode, ProductText: p.DefaultDisplayText, Kind: "topup",
		ProcessingMode: string(p.ProcessingMode), Redemption: string(p.RedemptionMechanism), CommissionRate: string(p.CommissionRate), TestNumber: p.UatNumber, ProviderUp: true,
		Cost:    ledger.Cost{Send: read.amount(price.SendValue, own), CustomerFee: read.amount(price.CustomerFee, own), DistributorFee: read.amount(price.DistributorFee, own)},
		Receive: read.amount(price.ReceiveValue, theirs), ReceiveExTax: read.amount(price.ReceiveValueExcludingTax, theirs),
	}
	const markUp = 300_000
	offer.Price = money.Of(offer.Cost.Send.Micros()+markUp, own)
	return offer, read.err
}

// reader keeps the first error of several amounts.
type reader struct{ err error }

func (r *reader) amount(d apiclient.Decimal, currency money.Currency) money.Amount {
	if d == "" {
		d = "0"
	}
	amount, err := d.Amount(currency)
	if r.err == nil {
		r.err = err
	}
	return amount
}

// quote is what the script expects of a sale, worked out from the catalogue
// alone.
type quote struct {
	cost       int64 // SendValue and distributor fee
	commission int64
}

func quoteOf(offer sales.Offer) (quote, error) {
	rate, err := money.Rate(offer.CommissionRate)
	if err != nil {
		return quote{}, err
	}
	commission, err := offer.Cost.Send.Times(rate, offer.Cost.Send.Currency().Decimals())
	return quote{cost: offer.Cost.Send.Micros() + offer.Cost.DistributorFee.Micros(), commission: commission.Micros()}, err
}
