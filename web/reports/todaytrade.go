package reports

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"airtill/internal/money"
	"airtill/internal/picture"
	"airtill/internal/report"
	"airtill/internal/staff"
	"airtill/internal/till"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// dayTrade is a day's trade beside the same weekday's a week ago, up to the same time.
type dayTrade struct {
	ask ask
	// The tills' currencies, the one with the most sales first. Counts are of all, sums of each by itself.
	currencies []money.Currency
	sums       map[money.Currency]*twice
	whole      twice
	hours      map[money.Currency]*[24]twice
	people     []report.Row // today's, by till and cashier
}

// twice is sums of today and of the day a week ago.
type twice struct{ now, then report.Measures }

func (s *Screens) dayOf(ctx context.Context, zone *time.Location, shops []staff.Shop) (dayTrade, error) {
	today := report.DayOf(s.D.Now(), zone)
	t := dayTrade{
		ask:  ask{from: today, to: today + 1, shops: shops, today: today},
		sums: map[money.Currency]*twice{}, hours: map[money.Currency]*[24]twice{},
	}
	people := t.ask.query(today, today+1)
	people.By, people.Sums = []report.Dimension{report.ByTill, report.ByCashier}, []string{"sales", "price_micros"}
	now := people
	now.By = []report.Dimension{report.BySlot}
	now.Sums = []string{"sales", "complete", "failed", "price_micros", "margin_micros"}
	then := now
	then.From, then.To, then.Until, then.Ago = today-7, today-6, s.D.Now(), 7
	all, err := s.D.Report.AllSums(ctx, people, now, then)
	if err != nil {
		return t, err
	}
	t.people = all[0]
	t.sum(all[1], func(x *twice) *report.Measures { return &x.now })
	t.sum(all[2], func(x *twice) *report.Measures { return &x.then })
	t.order()
	return t, nil
}

// sum adds rows to one of the two, by currency and by hour.
func (t *dayTrade) sum(rows []report.Row, half func(*twice) *report.Measures) {
	for _, row := range rows {
		in := row.PriceCurrency
		if t.hours[in] == nil {
			t.hours[in], t.sums[in] = &[24]twice{}, &twice{}
		}
		for _, into := range []*twice{&t.whole, t.sums[in], &t.hours[in][row.Slot%24]} {
			half(into).Add(row.Measures)
		}
	}
}

// order puts the currency with the most sales first; there is one even if nothing was sold.
func (t *dayTrade) order() {
	if len(t.sums) == 0 {
		usual := frame.CurrencyOf(t.ask.shops...)
		t.hours[usual], t.sums[usual] = &[24]twice{}, &twice{}
	}
	t.currencies = slices.SortedFunc(maps.Keys(t.sums), func(x, y money.Currency) int {
		size := func(c money.Currency) int64 { return t.sums[c].now.Sales*2 + t.sums[c].then.Sales }
		return cmp.Or(cmp.Compare(size(y), size(x)), cmp.Compare(x, y))
	})
}

// several says whether the tills take more than one currency.
func (t dayTrade) several() bool { return len(t.currencies) > 1 }

// amounts writes a sum of each currency.
func (t dayTrade) amounts(l locale.Locale, of func(twice) int64) string {
	var all []string
	for _, currency := range t.currencies {
		all = append(all, l.Amount(money.Of(of(*t.sums[currency]), currency)))
	}
	return strings.Join(all, " · ")
}

func (t dayTrade) before(l locale.Locale, value string) string {
	return l.Text("today.before", l.Weekday(t.ask.today.Weekday()), value)
}

// figures are the day in four numbers.
func (t dayTrade) figures(l locale.Locale, u staff.User) []templates.Figure {
	now, then := t.whole.now, t.whole.then
	day := "?" + t.ask.period().Encode()
	sold := func(state string) string {
		if !t.several() {
			state += "&currency=" + string(t.currencies[0])
		}
		return "/sales" + day + "&state=" + state
	}
	figures := []templates.Figure{
		{
			Name: l.Text("sales.taken"), Value: t.amounts(l, func(x twice) int64 { return x.now.PriceMicros }),
			Note:  t.before(l, t.amounts(l, func(x twice) int64 { return x.then.PriceMicros })),
			Large: !t.several(), URL: sold("complete"),
		},
		{
			Name: l.Text("sales.sent"), Value: l.Number(now.Complete), Note: t.before(l, l.Number(then.Complete)),
			URL: sold("complete"),
		},
		{
			Name: l.Text("today.failed"), Value: l.Number(now.Failed), Note: t.before(l, l.Number(then.Failed)),
			URL: sold("failed"),
		},
	}
	if u.Can(staff.ViewCost) {
		return append(figures, templates.Figure{
			Name: l.Text("reports.col.margin"), Value: t.amounts(l, func(x twice) int64 { return x.now.MarginMicros }),
			Note: t.before(l, t.amounts(l, func(x twice) int64 { return x.then.MarginMicros })),
			URL:  "/reports/margin" + day,
		})
	}
	if rate, known := now.SuccessPerMille(); known {
		figure := templates.Figure{
			Name: l.Text("reports.col.success"), Value: l.Share(rate), URL: sold("settled"),
			Tone: frame.ToneIf(rate < 950, "wait"),
		}
		if earlier, known := then.SuccessPerMille(); known {
			figure.Note = t.before(l, l.Share(earlier))
		}
		figures = append(figures, figure)
	}
	return figures
}

// hoursPicture is the day by the hour, from the first hour with takings to the last, in the currency with the
// most sales.
func (t dayTrade) hoursPicture(l locale.Locale) picture.Picture {
	currency := t.currencies[0]
	hours, first, last, compared := t.hours[currency], 24, -1, false
	var sizes []int64
	for hour, sum := range hours {
		sizes = append(sizes, sum.now.PriceMicros, sum.then.PriceMicros)
		if sum.now.PriceMicros+sum.then.PriceMicros > 0 {
			first, last = min(first, hour), hour
		}
		compared = compared || sum.then.PriceMicros > 0
	}
	p := picture.Picture{
		Kind: picture.Columns, Title: l.Text("today.hours"), Compared: compared,
		Total: l.Amount(money.Of(t.sums[currency].now.PriceMicros, currency)),
	}
	if t.several() {
		p.Title += " · " + string(currency)
	}
	scale := overAmounts(&p, l, currency, sizes)
	open := t.ask
	open.by = report.BySlot
	for hour := first; hour <= last; hour++ {
		sum, name := hours[hour], hourName(l, hour)
		point := picture.Point{
			Name: name, Short: name, Value: l.Amount(money.Of(sum.now.PriceMicros, currency)),
			Size: scale.At(sum.now.PriceMicros), Mark: scale.At(sum.then.PriceMicros),
			URL: open.salesURL(report.Row{Slot: int(t.ask.today.Weekday())*24 + hour, PriceCurrency: currency}),
		}
		if compared {
			point.Before = l.Amount(money.Of(sum.then.PriceMicros, currency))
		}
		p.Points = append(p.Points, point)
	}
	return p
}

// hourName is an hour of the day.
func hourName(l locale.Locale, hour int) string {
	return l.Time(time.Date(2026, 1, 1, hour, 0, 0, 0, l.Zone()))
}

// sellers are the open drawers, the last opened first, with who sells there now, not who opened it if the till was
// taken over, and what they sold there today.
func (t dayTrade) sellers(l locale.Locale, open []till.Shift, names frame.Names) (all []templates.Seller) {
	a := t.ask
	a.by = report.ByCashier
	for _, shift := range open {
		who, since := cmp.Or(shift.SeatBy, shift.CashierID), shift.Seated()
		seller := templates.Seller{
			Name: names.People[who], Till: names.Tills[shift.TillID], Since: l.Time(since),
			Taken: l.Amount(money.Of(0, shift.Currency)), Sales: l.Number(0), URL: "/shift/" + shift.ID,
		}
		if len(t.ask.shops) > 1 {
			seller.Till = names.Shops[shift.ShopID] + ", " + seller.Till
		}
		if report.DayOf(since, l.Zone()) != t.ask.today {
			seller.Since = l.DateTime(since)
		}
		for _, row := range t.people {
			if row.TillID == shift.TillID && row.CashierID == who && row.PriceCurrency == shift.Currency {
				seller.Sales, seller.URL = l.Number(row.Sales), a.salesURL(row)
				seller.Taken = l.Amount(money.Of(row.PriceMicros, row.PriceCurrency))
			}
		}
		all = append(all, seller)
	}
	return all
}

// questions lead to what is asked most besides.
func (t dayTrade) questions(l locale.Locale, u staff.User) (links []templates.Link) {
	yesterday := (t.ask.today - 1).String()
	for _, question := range []struct {
		key, url string
		may      staff.Permission
	}{
		{"today.ask.cashiers", "/reports/cashiers?from=" + yesterday + "&to=" + yesterday, staff.ViewReports},
		{"today.ask.margin", "/reports/margin?by=product", staff.ViewCost},
		{"today.ask.cash", "/reports/cash?by=cashier", staff.ViewReports},
		{"today.ask.float", "/reconcile", staff.ViewReconcile},
		{"today.ask.refunds", frame.CorrectionsPath + "?from=" + (t.ask.today - 6).String(), staff.ViewReports},
		{"today.ask.failures", "/reports/failures", staff.ViewReports},
	} {
		if u.Can(question.may) {
			links = append(links, templates.Link{Text: l.Text(question.key), URL: question.url})
		}
	}
	return links
}
