package apiclient

import (
	"net/url"
	"reflect"
	"strings"
)

// ProductFilter narrows GetProducts. Values of one field are alternatives, all fields must match, and an empty
// filter asks for everything. With an AccountNumber it cannot match, the service returns the whole list.
type ProductFilter struct {
	CountryIsos, ProviderCodes, SkuCodes, Benefits, RegionCodes []string
	AccountNumber                                               string
}

// ProviderFilter narrows GetProviders, by the rules of ProductFilter.
type ProviderFilter struct {
	ProviderCodes, CountryIsos, RegionCodes []string
	AccountNumber                           string
}

// PromotionFilter narrows GetPromotions, by the rules of ProductFilter.
type PromotionFilter struct {
	CountryIsos, ProviderCodes []string
	AccountNumber              string
}

// ProductDescriptionFilter narrows GetProductDescriptions. Ask for "en" with any other language: not every
// text is translated.
type ProductDescriptionFilter struct {
	LanguageCodes, SkuCodes []string
}

// PromotionDescriptionFilter narrows GetPromotionDescriptions. Ask for "en" with any other language: not every
// text is translated.
type PromotionDescriptionFilter struct {
	LanguageCodes []string
}

// ProviderStatusFilter narrows GetProviderStatus.
type ProviderStatusFilter struct {
	ProviderCodes []string
}

// RegionFilter narrows GetRegions.
type RegionFilter struct {
	CountryIsos []string
}

type accountFilter struct{ AccountNumber string }

type nothing struct{}

// queryOf is a filter as the service reads it: its fields by their names, with a small letter first. Blank values are
// left out: the service refuses accountNumber= as invalid.
func queryOf(filter any) url.Values {
	query, fields := url.Values{}, reflect.ValueOf(filter)
	for field, value := range fields.Fields() {
		values, several := value.Interface().([]string)
		if !several {
			values = []string{value.String()}
		}
		name := strings.ToLower(field.Name[:1]) + field.Name[1:]
		for _, one := range values {
			if one != "" {
				query.Add(name, one)
			}
		}
	}
	return query
}
