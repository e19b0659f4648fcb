package reports

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// dayTrade is a day's trade beside that of the same weekday a week ago, up to the
// same time.
type dayTrade struct {
	ask   ask
	until time.Time // of the week before: the last whole quarter of an hour
	// The currencies of the tills, that of most sales first. Counts are of all of them,
	// sums of each by itself.
	currencies []money.Currency
	sums       map[money.Currency]twice
	whole      twice
	goods      []twice // by product
	people     []twice // by till and cashier
	shops      []twice
	hours      []twice
	reasons    []twice
	names      frame.ReportNames
}

// twice is a row of today and the same a week ago.
type twice struct{ now, then report.Row }

func (s *Screens) dayOf(ctx context.Context, zone *time.Location, shops []staff.Shop) (dayTrade, error) {
	today := report.DayOf(s.D.Now(), zone)
	t := dayTrade{ask: ask{from: today, to: today + 1, shops: shops, today: today}}
	passed := s.D.Now().Sub(today.Begins(zone)).Truncate(15 * time.Minute)
	t.until = today.Begins(zone).Add(passed)
	var parts errgroup.Group
	parts.SetLimit(2) // a page of the office leaves connections to the counter
	for _, part := range []struct {
		into *[]twice
		by   []report.Dimension
		sums []string // what is shown of it
	}{
		{
			&t.shops,
			[]report.Dimension{report.ByShop},
			[]string{"sales", "complete", "failed", "price_micros", "margin_micros", "outcome_ms", "within_10s"},
		},
		{&t.hours, []report.Dimension{report.BySlot}, []string{"sales", "price_micros"}},
		{&t.people, []report.Dimension{report.ByTill, report.ByCashier}, []string{"sales", "price_micros"}},
		{
			&t.goods,
			[]report.Dimension{report.ByProduct, report.ByProvider, report.ByCountry},
			[]string{"sales", "price_micros"},
		},
		{&t.reasons, []report.Dimension{report.ByReason}, []string{"sales", "failed"}},
	} {
		parts.Go(func() (err error) {
			*part.into, err = s.twice(ctx, t.ask, part.by, part.sums, passed)
			return err
		})
	}
	if err := parts.Wait(); err != nil {
		return t, err
	}
	t.sum()
	var err error
	var sold []report.Row
	for _, row := range t.goods {
		sold = append(sold, row.now)
	}
	t.names, err = s.ReportNames(ctx, t.ask.shops, t.ask.products(sold))
	return t, err
}

func (s *Screens) twice(
	ctx context.Context, a ask, by []report.Dimension, sums []string, passed time.Duration,
) ([]twice, error) {
	q := a.query(a.from, a.to)
	q.By, q.Sums = by, sums
	now, err := s.D.Report.Sums(ctx, q)
	if err != nil {
		return nil, err
	}
	q.From, q.To, q.UntilTime = a.from-7, a.to-7, max(passed, time.Nanosecond)
	then, err := s.D.Report.Sums(ctx, q)
	var all []twice
	for _, row := range now {
		all = append(all, twice{now: row})
	}
	for _, row := range then {
		all = append(all, twice{then: row})
	}
	return all, err
}

// sum adds up the day, and by currency.
func (t *dayTrade) sum() {
	t.sums = map[money.Currency]twice{}
	for _, row := range t.shops {
		t.whole.now.Add(row.now.Measures)
		t.whole.then.Add(row.then.Measures)
		sum, currency := t.sums[row.currency()], row.currency()
		sum.now.Add(row.now.Measures)
		sum.then.Add(row.then.Measures)
		t.sums[currency] = sum
	}
	if len(t.sums) == 0 {
		t.sums["EUR"] = twice{}
	}
	t.currencies = slices.SortedFunc(maps.Keys(t.sums), func(x, y money.Currency) int {
		size := func(c money.Currency) int64 { return t.sums[c].now.Sales*2 + t.sums[c].then.Sales }
		return cmp.Or(cmp.Compare(size(y), size(x)), cmp.Compare(x, y))
	})
}

// amounts writes a sum of each currency.
func (t dayTrade) amounts(l locale.Locale, of func(twice) int64) string {
	var all []string
	for _, currency := range t.currencies {
		all = append(all, l.Amount(money.Of(of(t.sums[currency]), currency)))
	}
	return strings.Join(all, " · ")
}

func (t twice) currency() money.Currency { return cmp.Or(t.now.PriceCurrency, t.then.PriceCurrency) }

// figures are the day in numbers.
func (t dayTrade) figures(l locale.Locale, u staff.User, waiting int) []templates.Figure {
	now, then := t.whole.now, t.whole.then
	before := func(value string) string { return l.Text("today.before", l.Weekday(t.ask.today.Weekday()), value) }
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
			Note: before(t.amounts(l, func(x twice) int64 {
				return x.then.PriceMicros
			})), Large: !t.several(), URL: sold("complete"),
		},
		{
			Name: l.Text("sales.sent"), Value: l.Number(now.Complete), Note: before(l.Number(then.Complete)),
			URL: sold("complete"),
		},
		{
			Name: l.Text("today.failed"), Value: l.Number(now.Failed), Note: before(l.Number(then.Failed)),
			URL: sold("failed"),
		},
		{
			Name: l.Text("sales.waiting"), Value: l.Number(int64(waiting)), URL: "/sales?state=waiting",
			Tone: frame.ToneIf(waiting > 0, "wait"),
		},
	}
	if rate, known := now.SuccessPerMille(); known {
		figure := templates.Figure{
			Name: l.Text("reports.col.success"), Value: l.Share(rate), URL: sold("settled"),
			Tone: frame.ToneIf(rate < 950, "wait"),
		}
		if earlier, known := then.SuccessPerMille(); known {
			figure.Note = before(l.Share(earlier))
		}
		figures = append(figures, figure)
	}
	quick := t.sums[t.currencies[0]] // as the report has it, by currency
	if took, known := quick.now.OutcomeMillis(); known {
		figure := templates.Figure{
			Name: l.Text("today.outcome"), Value: seconds(l, took),
			Note: l.Text("today.quick", l.Share(frame.PerMilleOf(quick.now.Within10s, quick.now.Settled()))),
			URL:  "/reports/cashiers" + day,
		}
		if earlier, known := quick.then.OutcomeMillis(); known {
			figure.Note += " · " + before(seconds(l, earlier))
		}
		figures = append(figures, figure)
	}
	if u.Can(staff.ViewCost) {
		figures = append(figures, templates.Figure{
			Name: l.Text("reports.col.margin"), Value: t.amounts(l, func(x twice) int64 { return x.now.MarginMicros }),
			Note: before(t.amounts(l, func(x twice) int64 {
				return x.then.MarginMicros
			})), URL: "/reports/margin" + day,
		})
	}
	return figures
}

// seconds writes milliseconds as seconds with a tenth.
func seconds(l locale.Locale, millis int64) string {
	return l.Text("today.seconds", l.Tenths(millis/100))
}

// mostInCard is how many bars a card shows.
const mostInCard = 5

// cards are who sold, what and where.
func (t dayTrade) cards(l locale.Locale) []templates.Card {
	var cards []templates.Card
	title := ""
	add := func(
		by report.Dimension, rows []twice, size func(report.Measures) int64, written func(int64) string,
		reportName string,
	) {
		a := t.ask
		a.by = by
		points := t.bars(l, a, rows, size, written)
		if len(points) == 0 || by == report.ByShop && len(points) == 1 {
			return
		}
		values := a.period()
		values.Set("by", string(by))
		cards = append(cards, templates.Card{
			Picture: templates.Picture{
				Kind: templates.PictureBars, Title: dimensionName(l, by) + title, Compared: true, Points: points,
			},
			MoreURL: "/reports/" + reportName + "?" + values.Encode(),
		})
	}
	price := func(m report.Measures) int64 { return m.PriceMicros }
	failed := func(m report.Measures) int64 { return m.Failed }
	for _, currency := range t.currencies { // lengths of two currencies say nothing beside each other
		if t.several() {
			title = " · " + string(currency)
		}
		written := func(micros int64) string { return l.Amount(money.Of(micros, currency)) }
		in := func(rows []twice) []twice {
			return slices.DeleteFunc(slices.Clone(rows), func(row twice) bool { return row.currency() != currency })
		}
		add(report.ByShop, in(t.shops), price, written, "sales")
		add(report.ByCashier, in(t.people), price, written, "sales")
		add(report.ByTill, in(t.people), price, written, "sales")
		add(report.ByProvider, in(t.goods), price, written, "sales")
		add(report.ByProduct, in(t.goods), price, written, "sales")
		add(report.ByCountry, in(t.goods), price, written, "sales")
	}
	title = ""
	add(report.ByReason, t.reasons, failed, l.Number, "failures")
	return cards
}

// only1 is a row with the value of the ask's own dimension alone.
func (a ask) only1(r report.Row) report.Row {
	only := report.Row{PriceCurrency: r.PriceCurrency}
	switch a.by {
	case report.ByShop:
		only.ShopID = r.ShopID
	case report.ByTill:
		only.TillID = r.TillID
	case report.ByCashier:
		only.CashierID = r.CashierID
	case report.ByProvider:
		only.Provider = r.Provider
	case report.ByProduct:
		only.SKU = r.SKU
	case report.ByCountry:
		only.Country = r.Country
	case report.ByReason:
		only.Reason = r.Reason
	default:
	}
	return only
}
