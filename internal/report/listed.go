package report

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/sales"
)

// List is a list of sales, as a filter of rows and as the same question to the rollups.
type List struct {
	Rows sales.Filter
	Query
	Slot int // of the week; -1 for all
}

// ListSum is what the sales of a list add up to in one currency.
type ListSum struct {
	Currency           money.Currency
	Sent, Failed, Open int64
	Taken, Held, Owed  int64 // millionths: of those sent, of those open, and to be given back
}

// mostSummedDays is the longest period summed row by row.
const mostSummedDays = 7

// Listed counts and sums a list, the currency of most sales first: a short period row by row, a longer one
// from rollups. Where no rollup has the answer it sums the period's newest sales; all is false if there are
// more.
func (s *Service) Listed(ctx context.Context, book *sales.Service, l List) (sums []ListSum, all bool, err error) {
	found, all := map[money.Currency]*ListSum{}, true
	l.Rows.Before = "" // sums are of the whole list, whichever page of it is read
	if l.To-l.From <= mostSummedDays {
		var totals []sales.Total
		if totals, err = book.Totals(ctx, l.Rows); err == nil {
			addTotals(found, totals)
		}
	} else if err = s.addRollups(ctx, found, l); fault.KindOf(err) == fault.Invalid {
		var totals []sales.Total
		if totals, all, err = book.NewestTotals(ctx, l.Rows); err == nil {
			addTotals(found, totals)
		}
	}
	if err != nil {
		return nil, false, err
	}
	for _, sum := range found {
		sums = append(sums, *sum)
	}
	slices.SortFunc(sums, func(a, b ListSum) int {
		return cmp.Or(cmp.Compare(b.Count(), a.Count()), cmp.Compare(a.Currency, b.Currency))
	})
	return sums, all, nil
}

// Count is the number of sales.
func (l ListSum) Count() int64 { return l.Sent + l.Failed + l.Open }

// SumOf adds totals up in one currency.
func SumOf(totals []sales.Total, currency money.Currency) ListSum {
	found := map[money.Currency]*ListSum{}
	addTotals(found, totals)
	return *sumIn(found, currency)
}

func sumIn(found map[money.Currency]*ListSum, currency money.Currency) *ListSum {
	if found[currency] == nil {
		found[currency] = &ListSum{Currency: currency}
	}
	return found[currency]
}

func addTotals(found map[money.Currency]*ListSum, totals []sales.Total) {
	for _, t := range totals {
		sum := sumIn(found, money.Currency(t.PriceCurrency))
		switch {
		case t.Fulfilment == sales.Complete:
			sum.Sent += t.Count
			if t.Cash != sales.CashRefunded { // it went through after its cash had gone back
				sum.Taken += t.PriceMicros
			}
		case t.Fulfilment.Open():
			sum.Open += t.Count
			if t.Cash != sales.CashRefunded { // given back in doubt
				sum.Held += t.PriceMicros
			}
		default:
			sum.Failed += t.Count
			if t.Cash == sales.CashRefundDue {
				sum.Owed += t.PriceMicros
			}
		}
	}
}

// addRollups fails with a fault of kind Invalid if the rollups cannot tell.
func (s *Service) addRollups(ctx context.Context, found map[money.Currency]*ListSum, l List) error {
	q := l.Query
	if l.Slot >= 0 {
		q.By = []Dimension{BySlot}
	}
	states := l.Rows.States
	has := func(state sales.State) bool { return len(states) == 0 || slices.Contains(states, state) }
	if l.Rows.Practice || l.Rows.Search != "" || l.Rows.SKUs != nil || l.Rows.PriceMicros != 0 ||
		l.Rows.Reason == sales.NoReason && has(sales.Complete) {
		return fault.New(fault.Invalid, "report.grouping", "practice") // not in any rollup
	}
	rows, err := s.Sums(ctx, q)
	for _, row := range rows {
		if l.Rows.Currency != "" && row.PriceCurrency != money.Currency(l.Rows.Currency) ||
			l.Slot >= 0 && row.Slot != l.Slot {
			continue
		}
		sum := sumIn(found, row.PriceCurrency)
		if has(sales.Complete) {
			sum.Sent, sum.Taken = sum.Sent+row.Complete, sum.Taken+row.PriceMicros
		}
		if has(sales.Failed) {
			sum.Failed, sum.Owed = sum.Failed+row.Failed, sum.Owed+row.DueMicros
		}
		if len(states) == 0 {
			sum.Open, sum.Held = sum.Open+row.Open, sum.Held+row.OpenMicros
		}
	}
	maps.DeleteFunc(found, func(_ money.Currency, sum *ListSum) bool { return sum.Count() == 0 })
	return err
}

// OfRows is the list of a filter, with the same question to the rollups for days of the shops' calendars.
func OfRows(f sales.Filter, shops []string, from, to Day, slot string) List {
	l := List{Rows: f, Query: Query{Shops: shops, From: from, To: to, Only: map[Dimension]string{}}, Slot: -1}
	if hour, err := strconv.Atoi(slot); err == nil {
		l.Slot = hour
	}
	for dimension, value := range map[Dimension]string{
		ByTill: f.TillID, ByCashier: f.CashierID, ByCountry: f.CountryISO, ByProvider: f.ProviderCode, ByKind: f.Kind,
		ByProduct: f.SKUCode, ByReason: f.Reason,
	} {
		if value != "" {
			l.Only[dimension] = value
		}
	}
	if f.Reason == sales.NoReason {
		l.Only[ByReason] = ""
	}
	return l
}
