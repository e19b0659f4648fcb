package reports

import (
	"maps"
	"slices"

	"airtill/internal/catalog"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// picked are the dimensions a form lists. There are too many products and reasons: figures lead to them.
var picked = []report.Dimension{report.ByCountry, report.ByProvider, report.ByKind, report.ByTill, report.ByCashier}

// takes says whether the report can also be filtered by a dimension.
func (a ask) takes(d report.Dimension) bool {
	if a.kind.Of != report.OfSales {
		return d == report.ByTill || d == report.ByCashier
	}
	return report.Combine(append(slices.Collect(maps.Keys(a.only)), a.by, d)...)
}

// without is the ask with one filter less.
func (a ask) without(d report.Dimension) ask {
	a.only = maps.Clone(a.only)
	delete(a.only, d)
	return a
}

// addFilters lists what the report can be filtered by; any other filter it has can be removed.
func (a ask) addFilters(form *templates.ReportForm, l locale.Locale, names frame.ReportNames) {
	for _, d := range picked {
		value, found := a.only[d], valuesOf(l, d, names)
		if !a.takes(d) || len(found) == 0 || value != "" && found[value] == "" {
			continue
		}
		pick := frame.PickNamed(l, string(d), dimensionName(l, d), value, found)
		form.Picks, form.Picked = append(form.Picks, pick), form.Picked || value != ""
	}
	for _, d := range filters {
		offered := slices.ContainsFunc(form.Picks, func(p templates.Pick) bool { return p.Name == string(d) })
		if value := a.only[d]; value != "" && !offered {
			form.Filters = append(form.Filters, templates.Filter{
				Name: string(d), Value: value, Text: dimensionName(l, d),
				Named: a.filterName(l, d, names), RemoveURL: a.without(d).url(""),
			})
		}
	}
}

// filterName names the value that the report is narrowed to.
func (a ask) filterName(l locale.Locale, d report.Dimension, names frame.ReportNames) string {
	named := a
	named.by = d
	return named.nameOf(l, rowOf(d, a.only[d]), names)
}

// valuesOf are the names of a dimension's values, by code.
func valuesOf(l locale.Locale, d report.Dimension, names frame.ReportNames) map[string]string {
	kinds := map[string]string{}
	for _, kind := range catalog.Kinds() {
		kinds[string(kind)] = templates.KindName(l, kind)
	}
	return map[report.Dimension]map[string]string{
		report.ByCountry: names.Countries, report.ByProvider: names.Sold.Providers, report.ByKind: kinds,
		report.ByTill: names.Tills, report.ByCashier: names.Sellers,
	}[d]
}

// rowOf is a row of one value, to look up its name.
func rowOf(d report.Dimension, value string) (r report.Row) {
	if value == sales.NoReason {
		return r
	}
	*map[report.Dimension]*string{
		report.ByCountry: &r.Country, report.ByProvider: &r.Provider, report.ByKind: &r.Kind, report.ByProduct: &r.SKU,
		report.ByTill: &r.TillID, report.ByCashier: &r.CashierID, report.ByReason: &r.Reason,
	}[d] = value
	return r
}
