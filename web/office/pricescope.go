package office

import (
	"slices"

	"airtill/internal/catalog"
	"airtill/internal/fault"
	"airtill/internal/pricing"
	"airtill/web/frame"
	"airtill/web/templates"
)

// checkScope refuses a rule that matches nothing on sale: it would never decide a price, and nobody would
// notice.
func checkScope(on *catalog.Snapshot, r pricing.Rule) error {
	if on.Empty() {
		return nil
	}
	provider, ours := on.Provider(r.Provider)
	product, sold := on.Product(r.SKU)
	if sold && !ours {
		provider, _ = on.Provider(product.Provider)
	}
	_, there := on.Country(r.Country)
	switch {
	case r.Country != "" && !there:
		return fault.OnField("country", "scope.country")
	case r.Provider != "" && !ours:
		return fault.OnField("provider", "scope.provider")
	case r.SKU != "" && !sold:
		return fault.OnField("sku", "scope.product")
	case sold && (r.Provider != "" && product.Provider != r.Provider || r.Kind != "" && string(product.Kind) != r.Kind):
		return fault.OnField("sku", "scope.other-provider")
	case r.Country != "" && provider != nil && provider.Country != r.Country:
		return fault.OnField("country", "scope.other-country")
	}
	return nil
}

// countryChoices lists the countries with something on sale, and the current value even if it is no longer
// one.
func (p *office) countryChoices(on *catalog.Snapshot, value string) []templates.Choice {
	all := frame.Choices(on.SellingCountries(), func(c *catalog.Country) (string, string) {
		return c.ISO, p.l.Country(c.ISO, c.Name)
	})
	if value != "" && !slices.ContainsFunc(all, func(c templates.Choice) bool { return c.Value == value }) {
		all = append(all, templates.Choice{Value: value, Text: p.l.Country(value, value)})
	}
	frame.ByText(p.l, all)
	return p.orAll(all)
}
