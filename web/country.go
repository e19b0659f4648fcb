package web

import (
	"slices"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/templates"
)

// countryChoices are the countries a shop can be in, by their names in the reader's
// language.
func countryChoices(l locale.Locale) []templates.Choice {
	tag := language.Make(l.Language())
	names, order := display.Regions(tag), collate.New(tag)
	var all []templates.Choice
	for _, code := range staff.Countries() {
		all = append(all, templates.Choice{Value: code, Text: names.Name(language.MustParseRegion(code))})
	}
	slices.SortFunc(all, func(x, y templates.Choice) int { return order.CompareString(x.Text, y.Text) })
	return append([]templates.Choice{{}}, all...) // none is chosen for anybody
}
