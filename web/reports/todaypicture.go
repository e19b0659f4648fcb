package reports

import (
	"cmp"
	"slices"
	"time"

	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/web/locale"
	"airtill/web/templates"
)

// bars sums rows by one dimension, the largest of today first.
func (t dayTrade) bars(
	l locale.Locale, a ask, rows []twice, size func(report.Measures) int64, written func(int64) string,
) []templates.Point {
	sums := map[string]*twice{}
	for _, row := range rows {
		for _, half := range []struct {
			row  report.Row
			into func(*twice) *report.Row
		}{
			{row.now, func(x *twice) *report.Row { return &x.now }},
			{row.then, func(x *twice) *report.Row { return &x.then }},
		} {
			if half.row.Sales == 0 {
				continue
			}
			only := a.only1(half.row)
			value := valueOf(only)
			if sums[value] == nil {
				sums[value] = &twice{now: only, then: only}
				sums[value].now.Measures, sums[value].then.Measures = report.Measures{}, report.Measures{}
			}
			if sums[value].now.PriceCurrency != only.PriceCurrency {
				sums[value].now.PriceCurrency = "" // what is counted is of them all
			}
			half.into(sums[value]).Add(half.row.Measures)
		}
	}
	var all []twice
	var most int64
	for _, sum := range sums {
		if size(sum.now.Measures) > 0 {
			all = append(all, *sum)
			most = max(most, size(sum.now.Measures), size(sum.then.Measures))
		}
	}
	slices.SortFunc(all, func(x, y twice) int {
		return cmp.Or(
			cmp.Compare(size(y.now.Measures), size(x.now.Measures)), cmp.Compare(valueOf(x.now), valueOf(y.now)),
		)
	})
	var points []templates.Point
	for _, sum := range all[:min(len(all), mostInCard)] {
		points = append(points, templates.Point{
			Name: a.nameOf(l, sum.now, t.names), Value: written(size(sum.now.Measures)), URL: a.salesURL(sum.now),
			Size: scaled(size(sum.now.Measures), most), Before: scaled(size(sum.then.Measures), most),
			BeforeValue: written(size(sum.then.Measures)),
		})
	}
	return points
}

// several says whether the tills take more than one currency.
func (t dayTrade) several() bool { return len(t.currencies) > 1 }

// hoursPicture is the day by the hour, from the first in which anything was sold
// to the last, in the currency of most sales.
func (t dayTrade) hoursPicture(l locale.Locale) templates.Picture {
	var now, then [24]int64
	var most int64
	first, last, currency := 24, -1, t.currencies[0]
	for _, row := range t.hours {
		for _, half := range []struct {
			row report.Row
			sum *[24]int64
		}{{row.now, &now}, {row.then, &then}} {
			if half.row.Sales == 0 || row.currency() != currency {
				continue
			}
			hour := half.row.Slot % 24
			half.sum[hour] += half.row.PriceMicros
			first, last, most = min(first, hour), max(last, hour), max(most, half.sum[hour])
		}
	}
	p := templates.Picture{Kind: templates.PictureColumns, Title: l.Text("today.hours"), Compared: true, Opens: true}
	if t.several() {
		p.Title += " · " + string(currency)
	}
	written := func(micros int64) string { return l.Amount(money.Of(micros, currency)) }
	open := t.ask
	open.by = report.BySlot
	for hour := first; hour <= last; hour++ {
		p.Points = append(p.Points, templates.Point{
			Name: l.Time(time.Date(2026, 1, 1, hour, 0, 0, 0, l.Zone())), Value: written(now[hour]),
			BeforeValue: written(then[hour]),
			Size:        scaled(now[hour], most), Before: scaled(then[hour], most),
			URL: open.salesURL(report.Row{Slot: int(t.ask.today.Weekday())*24 + hour, PriceCurrency: currency}),
		})
	}
	return p
}
