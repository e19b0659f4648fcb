package catalog

import (
	"cmp"
	"iter"
	"slices"
	"time"
)

// Snapshot is what was for sale at one version: immutable, complete in memory, shared by all readers, as is
// everything it returns: do not change it. Use one for a whole request, so that a page is consistent.
type Snapshot struct {
	*shelves
	catalogue Version
	status    Version
	statuses  map[string]Status
}

// shelves is the large part of a Snapshot, shared with the one before if only a status changed.
type shelves struct {
	content    content
	countries  map[string]*Country
	providers  map[string]*Provider
	products   map[string]*Product
	byCountry  map[string][]*Provider // by trade, then name
	byProvider map[string][]*Product
	trades     map[string]trade // of providers that sell something
	addressed  map[string]bool  // providers with a product for an account
	dialing    map[string][]*Country
	texts      map[string]map[string]*Text // language, localization key
	promotions map[string][]*Promotion
	promoTexts map[string]map[string]*PromotionText
	patterns   *patterns
}

// content is what a Snapshot is made of, and what processes pass on.
type content struct {
	Countries      []Country
	Providers      []Provider
	Products       []Product
	Texts          []Text
	Promotions     []Promotion
	PromotionTexts []PromotionText
}

// Empty says that there is nothing to sell: no sync has ever succeeded.
func (s *Snapshot) Empty() bool { return len(s.products) == 0 }

// Version returns the number of the version, 0 before the first.
func (s *Snapshot) Version() int64 { return s.catalogue.Number }

// PricesAsOf returns when the upstream last confirmed the prices; zero if it
// never did.
func (s *Snapshot) PricesAsOf() time.Time { return s.catalogue.AsOf }

// StatusAsOf returns when the upstream last confirmed the provider statuses.
func (s *Snapshot) StatusAsOf() time.Time { return s.status.AsOf }

// Size returns how many products are for sale.
func (s *Snapshot) Size() int { return len(s.products) }

// Product finds a product that is for sale.
func (s *Snapshot) Product(sku string) (*Product, bool) { return find(s.products, sku) }

// Provider finds a provider by its code.
func (s *Snapshot) Provider(code string) (*Provider, bool) { return find(s.providers, code) }

// Country finds a country by its ISO code.
func (s *Snapshot) Country(iso string) (*Country, bool) { return find(s.countries, iso) }

func find[T any](in map[string]*T, key string) (*T, bool) {
	found, ok := in[key]
	return found, ok
}

// SellingCountries returns the countries with something for sale, by name.
func (s *Snapshot) SellingCountries() []*Country {
	var selling []*Country
	for i := range s.content.Countries {
		if c := &s.content.Countries[i]; len(s.ProvidersIn(c.ISO)) > 0 {
			selling = append(selling, c)
		}
	}
	return selling
}

// CommonCountries returns up to most countries with something for sale: the shop's own, and those it sold to,
// by how often.
func (s *Snapshot) CommonCountries(home string, sold map[string]int64, most int) []*Country {
	common := slices.DeleteFunc(s.SellingCountries(), func(c *Country) bool {
		return c.ISO != home && sold[c.ISO] == 0
	})
	slices.SortStableFunc(common, func(a, b *Country) int {
		switch home {
		case a.ISO:
			return -1
		case b.ISO:
			return 1
		}
		return cmp.Compare(sold[b.ISO], sold[a.ISO])
	})
	return common[:min(len(common), most)]
}

// Instead returns the other providers of a provider's country and trade: a number may have moved to any of
// them.
func (s *Snapshot) Instead(provider *Provider) []*Provider {
	return slices.DeleteFunc(s.ProvidersIn(provider.Country), func(p *Provider) bool {
		return p.Code == provider.Code || s.trades[p.Code] != s.trades[provider.Code]
	})
}

// TakesPhones says whether a provider's account numbers are those of phones.
func (s *Snapshot) TakesPhones(provider string) bool { return s.trades[provider] == mobileOperator }

// ProvidersIn returns a country's providers with something for sale: mobile operators, then sellers of PINs,
// utilities and vouchers, each by name.
func (s *Snapshot) ProvidersIn(country string) []*Provider {
	return slices.DeleteFunc(slices.Clone(s.byCountry[country]), func(p *Provider) bool {
		return len(s.byProvider[p.Code]) == 0
	})
}

// ProductsOf returns what a provider has for sale, by SKU.
func (s *Snapshot) ProductsOf(provider string) []*Product { return s.byProvider[provider] }

// AllProducts yields everything that is for sale, by SKU.
func (s *Snapshot) AllProducts() iter.Seq[*Product] {
	return func(yield func(*Product) bool) {
		for i := range s.content.Products {
			if !yield(&s.content.Products[i]) {
				return
			}
		}
	}
}

// ProviderStatus returns what the upstream last said of a provider. If it said nothing, the provider takes
// transfers.
func (s *Snapshot) ProviderStatus(code string) Status {
	if status, ok := s.statuses[code]; ok {
		return status
	}
	return Status{Provider: code, Processing: true}
}

// ProviderUp says whether a provider takes transfers.
func (s *Snapshot) ProviderUp(code string) bool { return s.ProviderStatus(code).Processing }

// Promotions returns the promotions of a provider that run at a time.
func (s *Snapshot) Promotions(provider string, at time.Time) []*Promotion {
	return slices.DeleteFunc(slices.Clone(s.promotions[provider]), func(p *Promotion) bool { return !p.ActiveAt(at) })
}

// PromotionsUntil returns until when the promotions of a provider are those of a time; zero: nobody knows of a
// change.
func (s *Snapshot) PromotionsUntil(provider string, at time.Time) (until time.Time) {
	for _, p := range s.promotions[provider] {
		for _, change := range []time.Time{p.StartsAt, p.EndsAt} {
			if change.After(at) && (until.IsZero() || change.Before(until)) {
				until = change
			}
		}
	}
	return until
}

// SameGoods says that two snapshots differ at most in what is known of the providers' status.
func (s *Snapshot) SameGoods(other *Snapshot) bool { return s.shelves == other.shelves }
