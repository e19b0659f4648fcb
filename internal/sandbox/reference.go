package sandbox

import (
	"net/http"
	"slices"

	"airtill/internal/sandbox/catalogue"
)

// accountScope is what an account number restricts a list to: the providers it
// may belong to. A number that matches nobody restricts nothing.
func (s *Service) accountScope(c *call) filter {
	number := c.query.one("accountNumber")
	if number == "" {
		return nil
	}
	items := s.catalogue().Lookup(number).Items
	if len(items) == 0 {
		return nil
	}
	scope := filter{}
	for _, item := range items {
		scope[item.ProviderCode] = true
	}
	return scope
}

// accountLookupResponse is the GetAccountLookupResponse.
type accountLookupResponse struct {
	CountryIso              string `json:",omitempty"`
	AccountNumberNormalized string `json:",omitempty"`
	listResponse[catalogue.AccountLookup]
}

// getAccountLookup answers 1 when providers are found, 2 when only the country
// is, 4 when not even that.
func (s *Service) getAccountLookup(c *call) reply {
	number := c.query.one("accountNumber")
	empty := listResponse[catalogue.AccountLookup]{Items: []catalogue.AccountLookup{}}
	if number == "" {
		empty.envelope = failure(apiError{Code: parameterMissing, Context: "accountNumber"})
		return reply{status: http.StatusBadRequest, body: accountLookupResponse{listResponse: empty}}
	}
	a := s.catalogue().Lookup(number)
	if a.CountryIso == "" {
		empty.envelope = failure(apiError{Code: accountInvalid})
		return reply{status: http.StatusBadRequest, body: accountLookupResponse{listResponse: empty}}
	}
	response := accountLookupResponse{
		CountryIso: a.CountryIso, AccountNumberNormalized: a.Normalized,
		listResponse: listResponse[catalogue.AccountLookup]{envelope: success(), Items: a.Items},
	}
	if len(a.Items) == 0 {
		response.envelope = failure(apiError{Code: nearestMatch})
	}
	return answer(response)
}

func (s *Service) getCountries(*call) reply  { return s.shelf.Load().countries().all() }
func (s *Service) getCurrencies(*call) reply { return s.shelf.Load().currencies().all() }

func (s *Service) getRegions(c *call) reply {
	shelf, countries := s.shelf.Load(), c.query.filter("countryIsos")
	return shelf.regions().where(countries == nil, func(i int) bool {
		return countries.lets(shelf.catalogue.Regions[i].CountryIso)
	})
}

func (s *Service) getProducts(c *call) reply {
	q, shelf, scope := c.query, s.shelf.Load(), s.accountScope(c)
	countries, providers, skus := q.filter("countryIsos"), q.filter("providerCodes"), q.filter("skuCodes")
	benefits, regions := q.filter("benefits"), q.filter("regionCodes")
	everything := countries == nil && providers == nil && skus == nil && benefits == nil && regions == nil && scope == nil
	return shelf.products().where(everything, func(i int) bool {
		p := shelf.catalogue.Products[i]
		provider := shelf.catalogue.Provider(p.ProviderCode)
		return skus.lets(p.SkuCode) && providers.lets(p.ProviderCode) && scope.lets(p.ProviderCode) &&
			benefits.lets(p.Benefits...) && countries.lets(provider.CountryIso) && regions.lets(p.RegionCode)
	})
}

func (s *Service) getProductDescriptions(c *call) reply {
	shelf, languages, skus := s.shelf.Load(), c.query.filter("languageCodes"), c.query.filter("skuCodes")
	var keys filter
	if skus != nil {
		keys = filter{}
		for sku := range skus {
			if p := shelf.catalogue.Product(sku); p != nil {
				keys[p.LocalizationKey] = true
			}
		}
	}
	return shelf.productTexts().where(languages == nil && keys == nil, func(i int) bool {
		text := &shelf.catalogue.ProductTexts[i]
		return languages.lets(text.LanguageCode) && keys.lets(text.LocalizationKey)
	})
}

func (s *Service) getPromotions(c *call) reply {
	shelf, scope := s.shelf.Load(), s.accountScope(c)
	countries, providers := c.query.filter("countryIsos"), c.query.filter("providerCodes")
	return shelf.promotions().where(countries == nil && providers == nil && scope == nil, func(i int) bool {
		code := shelf.catalogue.Promotions[i].ProviderCode
		return providers.lets(code) && scope.lets(code) && countries.lets(shelf.catalogue.Provider(code).CountryIso)
	})
}

func (s *Service) getPromotionDescriptions(c *call) reply {
	shelf, languages := s.shelf.Load(), c.query.filter("languageCodes")
	return shelf.promotionTexts().where(languages == nil, func(i int) bool {
		return languages.lets(shelf.catalogue.PromotionTexts[i].LanguageCode)
	})
}

func (s *Service) getProviders(c *call) reply {
	q, shelf, scope := c.query, s.shelf.Load(), s.accountScope(c)
	providers, countries, regions := q.filter("providerCodes"), q.filter("countryIsos"), q.filter("regionCodes")
	r := shelf.providers().where(providers == nil && countries == nil && regions == nil && scope == nil, func(i int) bool {
		p := shelf.catalogue.Providers[i]
		return providers.lets(p.ProviderCode) && scope.lets(p.ProviderCode) &&
			countries.lets(p.CountryIso) && regions.lets(p.RegionCodes...)
	})
	return withLogos(r, c.request)
}

// getProviderStatus adds the providers suspended by the configuration to the
// one that always is.
func (s *Service) getProviderStatus(c *call) reply {
	providers := c.query.filter("providerCodes")
	s.mu.Lock()
	suspended := s.config.SuspendedProviders
	s.mu.Unlock()
	statuses := []catalogue.ProviderStatus{}
	for _, status := range s.catalogue().Statuses {
		if !providers.lets(status.ProviderCode) {
			continue
		}
		if slices.Contains(suspended, status.ProviderCode) {
			status.IsProcessingTransfers, status.Message = false, "Suspended for the time being."
		}
		statuses = append(statuses, status)
	}
	return answer(listResponse[catalogue.ProviderStatus]{envelope: success(), Items: statuses})
}
