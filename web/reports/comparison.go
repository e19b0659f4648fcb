package reports

import (
	"airtill/internal/money"
	"airtill/internal/report"
)

// valueOf is what a row is the sum of.
func valueOf(r report.Row) string {
	return r.ShopID + r.Country + r.Provider + r.Kind + r.SKU + r.TillID + r.CashierID + r.Reason + r.Rule
}

// aligned finds the row another is compared with: of the same value, and as many days after the start of its period, or
// as many weeks or months before the last; of a year earlier the same date.
func (a ask) aligned(before []report.Row) func(report.Row) report.Row {
	type place struct {
		value       string
		slot        int
		price, send money.Currency
		day         report.Day
	}
	from, to, _ := a.comparison()
	shift := func(d report.Day) report.Day {
		switch {
		case d == 0:
			return 0
		case a.compare == compareYear && (a.by == report.ByMonth || a.by == report.ByDay && to-from != a.to-a.from):
			if d.Years(1).Years(-1) != d { // 29 February, where there is none a year later
				return noDay
			}
			return d.Years(1)
		case a.by == report.ByMonth:
			return d.AddMonths(monthsFrom(to-1, a.to-1))
		case a.by == report.ByWeek:
			return d - (to - 1).Week() + (a.to - 1).Week()
		}
		return d - from + a.from
	}
	found := map[place]report.Row{}
	for _, r := range before {
		found[place{valueOf(r), r.Slot, r.PriceCurrency, r.SendCurrency, shift(r.Day)}] = r
	}
	return func(r report.Row) report.Row {
		return found[place{valueOf(r), r.Slot, r.PriceCurrency, r.SendCurrency, r.Day}]
	}
}

// noDay is no row's.
const noDay report.Day = -1

// monthsFrom is how many months one date's is before another's.
func monthsFrom(earlier, later report.Day) int {
	x, y := earlier.Time(), later.Time()
	return (y.Year()-x.Year())*12 + int(y.Month()) - int(x.Month())
}
