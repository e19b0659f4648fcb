package catalogue

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// listColumns are the columns a product list must have, in any order.
func listColumns() []string {
	return []string{"SkuCode", "Operator", "Receive", "Product type", "Country", "Validity"}
}

// listed is a row of a product list.
type listed struct{ sku, operator, receive, kind, country, validity string }

// fromList makes a catalogue of the products in a CSV list. Every row becomes a
// product; what the row does not say (prices where no amount is given,
// expressions, texts) is made.
func (b *builder) fromList(r io.Reader) error {
	all, err := readList(r)
	if err != nil {
		return err
	}
	if b.options.Products > 0 && b.options.Products < len(all) {
		all = all[:b.options.Products]
	}
	providers, err := b.listedProviders(all)
	if err != nil {
		return err
	}
	tariffs := map[string]*tariff{}
	for _, row := range all {
		p := providers[row.country+"\n"+row.operator]
		value := parseReceive(row.receive, b.world)
		if value.currency == "" {
			value.currency = b.world.byISO[p.CountryIso].currency
		}
		key := p.ProviderCode + value.currency
		if tariffs[key] == nil {
			tariffs[key] = b.tariff(p, value.currency)
		}
		b.add(p, tariffs[key], b.listedOffer(row, value))
	}
	return nil
}

func readList(r io.Reader) ([]listed, error) {
	reader := csv.NewReader(r)
	reader.ReuseRecord = true
	head, err := reader.Read()
	if err != nil {
		return nil, fmt.Errorf("read product list: %w", err)
	}
	head[0] = strings.TrimPrefix(head[0], "\ufeff")
	at := make([]int, len(listColumns()))
	for i, column := range listColumns() {
		if at[i] = slices.Index(head, column); at[i] < 0 {
			return nil, fmt.Errorf("product list has no column %q", column)
		}
	}
	var all []listed
	for {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read product list: %w", err)
		}
		all = append(all, listed{row[at[0]], row[at[1]], row[at[2]], row[at[3]], row[at[4]], row[at[5]]})
	}
}

// listedProviders makes a provider for each operator of each country. Where
// the own market knows the prefixes of a country, its mobile operators share
// them in turn.
func (b *builder) listedProviders(all []listed) (map[string]*Provider, error) {
	byName := map[string]*nation{}
	for _, n := range b.world.nations {
		for _, name := range append([]string{n.name}, n.others...) {
			byName[strings.ToLower(name)] = n
		}
	}
	groups := map[string][]string{}
	for _, brand := range b.world.brands {
		if brand.kind == kindMobile || brand.kind == kindBatch {
			groups[brand.country] = append(groups[brand.country], brand.detail)
		}
	}
	kinds := map[string]string{}
	for _, row := range all {
		key := row.country + "\n" + row.operator
		if kind := listedKind(row.kind); kinds[key] == "" || kind == kindMobile {
			kinds[key] = kind
		}
	}
	providers := map[string]*Provider{}
	turn := map[string]int{}
	for _, row := range all {
		key := row.country + "\n" + row.operator
		if providers[key] != nil {
			continue
		}
		n := byName[strings.ToLower(row.country)]
		if n == nil {
			return nil, fmt.Errorf("product list: unknown country %.40q", row.country)
		}
		detail := ""
		switch own := groups[n.iso]; {
		case kinds[key] == kindMeter || kinds[key] == kindTV:
			detail = "8,14"
		case kinds[key] == kindMobile && len(own) > 0:
			detail = own[turn[n.iso]%len(own)]
			turn[n.iso]++
		}
		providers[key] = b.provider(n.iso, kinds[key], row.operator, detail)
	}
	return providers, nil
}

// listedKind is the kind of a provider by what it sells. One that sells nothing
// but PINs needs no account, so no number leads to it.
func listedKind(kind string) string {
	switch kind {
	case "Top-up", "Data", "Bundle":
		return kindMobile
	case "DTH":
		return kindTV
	case "Prepaid Utility":
		return kindMeter
	}
	return kindVoucher
}

// listedOffer turns a row into an offer. An amount too small or too large to
// be a price, or none, is replaced by a made send value.
func (b *builder) listedOffer(row listed, value received) offer {
	o := offer{sku: row.sku, title: strings.TrimSpace(row.receive), what: "topup"}
	if days, ok := strings.CutSuffix(row.validity, " Days"); ok {
		o.days, _ = strconv.Atoi(days) // a validity that is no number is none
	}
	switch row.kind {
	case "Data":
		o.what = "data"
	case "Bundle":
		o.what = "bundle"
	case "PIN":
		o.what = "pin"
	case "Voucher":
		o.what = "voucher"
	case "DTH":
		o.what = "tv"
	case "Prepaid Utility":
		o.what = "meter"
		o.settings = []SettingDefinition{{Name: "MeterId", Description: "Meter number as printed on the meter", IsMandatory: true}}
	}
	switch {
	case value.most > 0:
		o.from, o.to = value.least, value.most
	case value.least > 0:
		o.receive = value.least
	default:
		o.send = Decimal(200+b.rng(row.sku).IntN(5000)) * Cent
	}
	return o
}
