package catalog

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// newSnapshot indexes content, which it takes over.
func newSnapshot(c content) *Snapshot {
	share(&c)
	c.Products = slices.DeleteFunc(c.Products, func(p Product) bool { return p.Unsellable != "" })
	slices.SortFunc(c.Products, func(a, b Product) int { return cmp.Compare(a.SKU, b.SKU) })
	slices.SortFunc(c.Countries, func(a, b Country) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(c.Providers, func(a, b Provider) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Code, b.Code))
	})
	s := &shelves{
		content:    c,
		countries:  index(c.Countries, func(c *Country) string { return c.ISO }),
		providers:  index(c.Providers, func(p *Provider) string { return p.Code }),
		products:   index(c.Products, func(p *Product) string { return p.SKU }),
		byCountry:  group(c.Providers, func(p *Provider) string { return p.Country }),
		byProvider: group(c.Products, func(p *Product) string { return p.Provider }),
		promotions: group(c.Promotions, func(p *Promotion) string { return p.Provider }),
		texts:      byLanguage(c.Texts, func(t *Text) (string, string) { return t.Language, t.LocalizationKey }),
		promoTexts: byLanguage(c.PromotionTexts, func(t *PromotionText) (string, string) {
			return t.Language, t.LocalizationKey
		}),
		trades:    map[string]trade{},
		addressed: map[string]bool{},
		dialing:   map[string][]*Country{},
		patterns:  &patterns{compiled: map[string]*regexp.Regexp{}},
	}
	s.indexReach()
	return &Snapshot{shelves: s}
}

func index[T any](rows []T, key func(*T) string) map[string]*T {
	by := make(map[string]*T, len(rows))
	for i := range rows {
		by[key(&rows[i])] = &rows[i]
	}
	return by
}

func group[T any](rows []T, key func(*T) string) map[string][]*T {
	by := map[string][]*T{}
	for i := range rows {
		k := key(&rows[i])
		by[k] = append(by[k], &rows[i])
	}
	return by
}

func byLanguage[T any](rows []T, key func(*T) (language, key string)) map[string]map[string]*T {
	by := map[string]map[string]*T{}
	for i := range rows {
		language, k := key(&rows[i])
		language = strings.ToLower(language)
		if by[language] == nil {
			by[language] = map[string]*T{}
		}
		by[language][k] = &rows[i]
	}
	return by
}

// indexReach finds which providers may own a number, and which countries a prefix belongs to.
func (s *shelves) indexReach() {
	for i := range s.content.Products {
		p := &s.content.Products[i]
		s.addressed[p.Provider] = s.addressed[p.Provider] || p.Addressed()
		trade := tradeOf(p.Kind)
		if known, ok := s.trades[p.Provider]; !ok || trade < known {
			s.trades[p.Provider] = trade
		}
	}
	for _, providers := range s.byCountry {
		slices.SortStableFunc(providers, func(a, b *Provider) int {
			return cmp.Compare(s.trades[a.Code], s.trades[b.Code])
		})
	}
	for i := range s.content.Countries {
		for _, d := range s.content.Countries[i].Dialing {
			s.dialing[d.Prefix] = append(s.dialing[d.Prefix], &s.content.Countries[i])
		}
	}
}

// trade is what a provider mainly sells, in the order people look for it. The real list has three vouchers for
// every other product.
type trade int

const (
	mobileOperator trade = iota
	pinIssuer
	utility
	voucherIssuer
)

func tradeOf(kind Kind) trade {
	switch kind {
	case KindTopUp, KindData, KindBundle, KindMinutes:
		return mobileOperator
	case KindPIN, KindLongDistance:
		return pinIssuer
	case KindElectricity, KindTV, KindBill:
		return utility
	case KindVoucher, KindOther:
	}
	return voucherIssuer
}

// share lets equal texts share memory: seventeen thousand products name a few thousand providers, a hundred
// currencies and the same few benefits, and most descriptions are common to a whole series.
func share(c *content) {
	one := pool{}
	for i := range c.Providers {
		p := &c.Providers[i]
		one.texts(&p.Country, &p.ValidationRegex)
		one.list(p.Regions)
		one.list(p.PaymentTypes)
	}
	for i := range c.Products {
		one.product(&c.Products[i])
	}
	for i := range c.Texts {
		t := &c.Texts[i]
		one.texts(&t.LocalizationKey, &t.Language, &t.DisplayText, &t.Description, &t.ReadMore)
	}
}

type pool map[string]string

func (one pool) text(s string) string {
	if known, ok := one[s]; ok {
		return known
	}
	one[s] = s
	return s
}

func (one pool) texts(texts ...*string) {
	for _, s := range texts {
		*s = one.text(*s)
	}
}

func (one pool) list(list []string) {
	for i := range list {
		list[i] = one.text(list[i])
	}
}

func (one pool) product(p *Product) {
	one.texts(&p.SKU, &p.Provider, &p.LocalizationKey, &p.ProcessingMode, &p.Redemption, &p.Region, &p.Validity,
		&p.UATNumber, &p.DisplayText, &p.AdditionalInformation, &p.CommissionRate)
	p.Kind = Kind(one.text(string(p.Kind)))
	one.list(p.Benefits)
	one.list(p.PaymentTypes)
	for i := range p.Settings {
		one.texts(&p.Settings[i].Name, &p.Settings[i].Description)
	}
	for _, price := range []*Price{&p.Minimum, &p.Maximum} {
		shareCode(one, &price.SendCurrency)
		shareCode(one, &price.ReceiveCurrency)
		one.texts(&price.TaxRate, &price.TaxName, &price.TaxCalculation)
	}
}

func shareCode[S ~string](one pool, code *S) { *code = S(one.text(string(*code))) }
