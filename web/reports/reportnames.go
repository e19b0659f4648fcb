package reports

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"airtill/internal/catalog"
	"airtill/internal/limit"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// weekSlot puts Monday first.
func weekSlot(slot int) int { return (slot + 6*24) % (7 * 24) }

// nameOf names what a row is the sum of.
func (a ask) nameOf(l locale.Locale, r report.Row, n frame.ReportNames) string {
	switch a.by {
	case report.ByDay, report.ByWeek:
		return l.Date(frame.NoonOf(l, r.Day))
	case report.ByMonth:
		return l.Month(frame.NoonOf(l, r.Day))
	case report.ByRule:
		return frame.LimitName(l, limit.Written(r.Rule))
	case report.BySlot:
		return l.Weekday(time.Weekday(r.Slot/24)) + " " + hourName(l, r.Slot%24)
	case report.ByShop:
		return cmp.Or(n.Shops[r.ShopID], r.ShopID)
	case report.ByTill:
		return cmp.Or(n.Tills[r.TillID], r.TillID)
	case report.ByCashier:
		return cmp.Or(n.People[r.CashierID], r.CashierID)
	case report.ByCountry:
		return cmp.Or(n.Countries[r.Country], r.Country)
	case report.ByProvider:
		return cmp.Or(n.Sold.Providers[r.Provider], r.Provider)
	case report.ByProduct:
		return cmp.Or(n.Sold.Products[r.SKU], r.SKU) + " (" + r.SKU + ")"
	case report.ByKind:
		return templates.KindName(l, catalog.Kind(r.Kind))
	case report.ByReason:
		code, detail, _ := strings.Cut(r.Reason, "/")
		return frame.ReasonName(l, code, detail)
	}
	return ""
}

// dimensionName is what a report is grouped by.
func dimensionName(l locale.Locale, d report.Dimension) string {
	return l.Text("reports.by." + string(d))
}

// salesURL leads to the sales or shifts a row sums; "" where no list shows them: what a limit stopped is no
// sale.
func (a ask) salesURL(r report.Row) string {
	if a.kind.Of == report.OfStops {
		return ""
	}
	values := a.period()
	if r.PriceCurrency != "" {
		values.Set("currency", string(r.PriceCurrency))
	}
	for dimension, value := range a.only {
		values.Set(string(dimension), value)
	}
	if a.kind.Name == reportFailures || a.only[report.ByReason] != "" {
		values.Set("state", "failed")
	}
	switch a.by {
	case report.ByDay:
		values.Set("from", r.Day.String())
		values.Set("to", r.Day.String())
	case report.ByMonth:
		values.Set("from", max(r.Day, a.from).String())
		values.Set("to", (min(r.Day.AddMonths(1), a.to) - 1).String())
	case report.BySlot:
		if a.to-a.from > frame.MostSlotDays {
			return ""
		}
		values.Set("slot", strconv.Itoa(r.Slot))
	case report.ByReason:
		values.Set("reason", cmp.Or(r.Reason, sales.NoReason))
		values.Set("state", "failed")
	default:
		values.Set(string(a.by), valueOf(r))
	}
	if a.kind.Of == report.OfDrawers {
		return "/shifts?" + values.Encode()
	}
	return "/sales?" + values.Encode()
}

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
	names.Tills, names.Sellers = names.Picked("", a.only[report.ByTill], a.only[report.ByCashier])
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
