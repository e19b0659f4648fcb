package reports

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"airtill/internal/limit"

	"airtill/internal/catalog"
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
		return ruleName(l, r.Rule)
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

// ruleName is what a limit is called.
func ruleName(l locale.Locale, rule string) string {
	subject, rest, _ := strings.Cut(rule, "/")
	period, measure, _ := strings.Cut(rest, "/")
	return frame.LimitName(l, limit.Kind{
		Subject: limit.Subject(subject), Period: limit.Period(period), Measure: limit.Measure(measure),
	})
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
