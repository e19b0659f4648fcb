package apiclient

import "net/url"

// ProductFilter narrows GetProducts. Values of one field are alternatives, all fields must match, and an empty
// filter asks for everything. With an AccountNumber it cannot match, the service returns the whole list.
type ProductFilter struct {
	CountryIsos, ProviderCodes, SkuCodes, Benefits, RegionCodes []string
	AccountNumber                                               string
}

func (f ProductFilter) query() url.Values {
	return query{
		"countryIsos": f.CountryIsos, "providerCodes": f.ProviderCodes, "skuCodes": f.SkuCodes,
		"benefits": f.Benefits, "regionCodes": f.RegionCodes, "accountNumber": {f.AccountNumber},
	}.set()
}

// ProviderFilter narrows GetProviders, by the rules of ProductFilter.
type ProviderFilter struct {
	ProviderCodes, CountryIsos, RegionCodes []string
	AccountNumber                           string
}

func (f ProviderFilter) query() url.Values {
	return query{
		"providerCodes": f.ProviderCodes, "countryIsos": f.CountryIsos,
		"regionCodes": f.RegionCodes, "accountNumber": {f.AccountNumber},
	}.set()
}

// PromotionFilter narrows GetPromotions, by the rules of ProductFilter.
type PromotionFilter struct {
	CountryIsos, ProviderCodes []string
	AccountNumber              string
}

func (f PromotionFilter) query() url.Values {
	return query{
		"countryIsos": f.CountryIsos, "providerCodes": f.ProviderCodes, "accountNumber": {f.AccountNumber},
	}.set()
}

// ProductDescriptionFilter narrows GetProductDescriptions. Ask for "en" with any other language: not every
// text is translated.
type ProductDescriptionFilter struct {
	LanguageCodes, SkuCodes []string
}

func (f ProductDescriptionFilter) query() url.Values {
	return query{"languageCodes": f.LanguageCodes, "skuCodes": f.SkuCodes}.set()
}

// PromotionDescriptionFilter narrows GetPromotionDescriptions. Ask for "en" with any other language: not every
// text is translated.
type PromotionDescriptionFilter struct {
	LanguageCodes []string
}

func (f PromotionDescriptionFilter) query() url.Values {
	return query{"languageCodes": f.LanguageCodes}.set()
}

// ProviderStatusFilter narrows GetProviderStatus.
type ProviderStatusFilter struct {
	ProviderCodes []string
}

func (f ProviderStatusFilter) query() url.Values {
	return query{"providerCodes": f.ProviderCodes}.set()
}

// RegionFilter narrows GetRegions.
type RegionFilter struct {
	CountryIsos []string
}

func (f RegionFilter) query() url.Values { return query{"countryIsos": f.CountryIsos}.set() }

type accountNumber string

func (n accountNumber) query() url.Values { return query{"accountNumber": {string(n)}}.set() }

type nothing struct{}

func (nothing) query() url.Values { return nil }

type query url.Values

// set leaves out blank values: the service refuses accountNumber= as invalid.
func (q query) set() url.Values {
	set := url.Values{}
	for name, values := range q {
		for _, value := range values {
			if value != "" {
				set.Add(name, value)
			}
		}
	}
	return set
}
