package catalogue

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// The kinds of provider.
const (
	kindMobile  = "mobile"
	kindBatch   = "batch" // mobile, fulfilled in batches
	kindMeter   = "meter"
	kindTV      = "tv"
	kindBill    = "bill"
	kindVoucher = "voucher"
	kindCalling = "calling"
)

// voucherPattern takes the default account number, and what people type
// instead of it.
const voucherPattern = `^(0{10}|[0-9]{5,15})$`

// provider adds a provider. Groups are the prefixes of its numbers within the
// country for a mobile one, and the length of its account numbers for others.
func (b *builder) provider(country, kind, name, groups string) *Provider {
	n := b.world.byISO[country]
	code := b.code(name, country)
	rng := b.rng(code)
	p := &Provider{
		ProviderCode: code, CountryIso: country, ShortName: name, Name: name + " " + n.name,
		PaymentTypes: []string{"Prepaid"}, LogoURL: LogoBase + "/_sandbox/logo/" + code + ".png",
		kind: kind, RegionCodes: []string{},
	}
	if strings.HasSuffix(name, n.name) || strings.HasSuffix(name, " "+country) {
		p.Name = name
	}
	if rng.IntN(10) > 1 {
		p.CustomerCareNumber = strconv.Itoa(100 + rng.IntN(900))
	}
	if kind == kindBill {
		p.PaymentTypes = []string{"Postpaid"}
	}
	for i, region := range b.world.regions[country] {
		// Some providers of a country with several regions cover the first few only.
		if i == 0 || kind == kindVoucher || rng.IntN(4) > 0 {
			p.RegionCodes = append(p.RegionCodes, region.RegionCode)
		}
	}
	b.accounts(p, n, groups, rng.IntN(20) == 0)
	b.c.Providers = append(b.c.Providers, p)
	return p
}

// LogoBase stands at the beginning of every LogoURL in place of the address
// the simulator is reached at.
const LogoBase = "http://sandbox.invalid"

// accounts sets the expressions and the test account of a provider. A few
// publish an expression of the .NET dialect that RE2 does not take.
func (b *builder) accounts(p *Provider, n *nation, groups string, dotNet bool) {
	pattern := voucherPattern
	p.uat = "9999999990"
	switch {
	case p.TakesPhones() && len(n.prefixes) > 0:
		pattern = phonePattern(n, strings.Split(groups, ","))
		p.uat = n.prefixes[0] + strings.Repeat("0", n.least)
	case p.kind == kindMeter || p.kind == kindTV || p.kind == kindBill:
		pattern = "^([0-9]{" + groups + "})$"
		length, _ := strconv.Atoi(groups) // a length that is no number gives an expression that matches nothing
		p.uat = strings.Repeat("1", max(length, 2)-1) + "0"
	}
	p.accept = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
	p.ValidationRegex = pattern
	if dotNet && p.TakesPhones() {
		p.ValidationRegex = "^(?!0{11})" + strings.TrimPrefix(pattern, "^")
	}
}

// phonePattern matches the numbers of a country that begin with one of the
// groups, with country code, as ^0?353((?:87|86)[0-9]{7})$ does. The default
// account number of PIN products is an alternate.
func phonePattern(n *nation, groups []string) string {
	alternates := make([]string, 0, len(groups))
	for _, group := range groups {
		least, most := n.least-len(group), n.most-len(group)
		count := strconv.Itoa(least)
		if most > least {
			count += "," + strconv.Itoa(most)
		}
		alternates = append(alternates, group+"[0-9]{"+count+"}")
	}
	prefix := n.prefixes[0]
	if len(n.prefixes) > 1 {
		prefix = "(?:" + strings.Join(n.prefixes, "|") + ")"
	}
	return fmt.Sprintf("^(?:0?%s(%s)|0{10})$", prefix, strings.Join(alternates, "|"))
}

// code makes the unique code of a provider: two characters of its name and its
// country.
func (b *builder) code(name, country string) string {
	var letters []byte
	for _, r := range strings.ToUpper(name) {
		if r <= unicode.MaxASCII && (r >= 'A' && r <= 'Z' || r >= '0' && r <= '9') {
			letters = append(letters, byte(r))
		}
	}
	for len(letters) < 2 {
		letters = append(letters, 'X')
	}
	for _, second := range letters[1:] {
		if code := string([]byte{letters[0], second}) + country; b.take(code) {
			return code
		}
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	for i := 0; ; i++ {
		code := string([]byte{alphabet[i/len(alphabet)%len(alphabet)], alphabet[i%len(alphabet)]}) + country
		if i >= len(alphabet)*len(alphabet) {
			code += strconv.Itoa(i)
		}
		if b.take(code) {
			return code
		}
	}
}

func (b *builder) take(code string) bool {
	if b.codes[code] {
		return false
	}
	b.codes[code] = true
	return true
}

// tariff returns the conditions of a provider, its own for good.
func (b *builder) tariff(p *Provider, receiveISO string) *tariff {
	rng := b.rng("terms of " + p.ProviderCode)
	t := &tariff{
		agentISO: b.options.Currency, receiveISO: receiveISO,
		agent: b.world.rates[b.options.Currency], receive: b.world.rates[receiveISO],
	}
	t.margin = Decimal(2+rng.IntN(12)) * Cent
	t.commission = Decimal(20+rng.IntN(81)) * Cent / 10
	switch rng.IntN(12) {
	case 0, 1:
		t.customerFee = t.agent.worth(Cent * 50)
	case 2:
		t.distributorFee = t.agent.worth(Cent * 20)
	case 3:
		t.customerFee, t.distributorFee = t.agent.worth(Cent*25), t.agent.worth(Cent*10)
	}
	switch rng.IntN(6) {
	case 0:
		t.taxRate, t.taxName, t.taxCalculation = Decimal(5+rng.IntN(16))*Cent, "VAT", "Inclusive"
	case 1:
		t.taxRate, t.taxName, t.taxCalculation = Decimal(5+rng.IntN(16))*Cent, "Sales tax", "Exclusive"
	case 2:
		t.taxRate, t.taxName = Decimal(5+rng.IntN(16))*Cent, "Excise duty"
	}
	return t
}
