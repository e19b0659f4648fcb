package report

import (
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/sales"
)

var soldAt = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// oneSale is one for 10.30 that was sent for 10.00, with a fee of 0.20 and a commission of 0.80.
func oneSale(state sales.State, cash sales.Cash, change ...func(*soldRow)) soldRow {
	s := soldRow{
		recordedAt: soldAt, fulfilment: state, cash: cash, price: 10_300_000, send: 10_000_000, fee: 500_000, dist: 200_000,
		commission: 800_000, commissionRate: "0.08", priceCurrency: "EUR", sendCurrency: "EUR",
		finalAt: sql.NullTime{Time: soldAt.Add(time.Second), Valid: true},
	}
	for _, c := range change {
		c(&s)
	}
	return s
}

func in(currency money.Currency, price int64) func(*soldRow) {
	return func(s *soldRow) { s.priceCurrency, s.price = currency, price }
}

// What a sale adds to the sums, to the cent: what was earned, what went back, what is owed, what is open.
func TestWhatASaleAddsUpTo(t *testing.T) {
	t.Parallel()
	rates := []pricing.Rate{
		{FromCurrency: "EUR", ToCurrency: "GBP", Rate: "0.5", ValidFrom: soldAt.Add(time.Second)}, // not yet
		{FromCurrency: "EUR", ToCurrency: "GBP", Rate: "0.8512", ValidFrom: soldAt},
		{FromCurrency: "EUR", ToCurrency: "JPY", Rate: "163.27", ValidFrom: soldAt.AddDate(0, 0, -1)},
		{FromCurrency: "EUR", ToCurrency: "KWD", Rate: "0.3351", ValidFrom: soldAt.AddDate(0, 0, -1)},
	}
	sent := Measures{
		Sales: 1, Complete: 1, SendMicros: 10_000_000, FeeMicros: 500_000, DistMicros: 200_000, CommissionMicros: 800_000,
		ExpectedMicros: 800_000,
	}
	with := func(m Measures, change func(*Measures)) Measures { change(&m); return m }
	for name, c := range map[string]struct {
		sale soldRow
		want Measures
	}{
		"sent": {oneSale(sales.Complete, sales.CashEarned), with(sent, func(m *Measures) {
			m.PriceMicros, m.MarkUpMicros, m.MarginMicros = 10_300_000, 300_000, 900_000
		})},
		"sent after its cash had gone back: all of its cost is lost": {
			oneSale(sales.Complete, sales.CashRefunded), with(sent, func(m *Measures) {
				m.MarginMicros, m.RefundedMicros = -9_400_000, 10_300_000
			}),
		},
		"failed, and owed":    {oneSale(sales.Failed, sales.CashRefundDue), Measures{Sales: 1, Failed: 1, DueMicros: 10_300_000}},
		"cancelled, and paid": {oneSale(sales.Cancelled, sales.CashRefunded), Measures{Sales: 1, Failed: 1, RefundedMicros: 10_300_000}},
		"void":                {oneSale(sales.Voided, sales.CashRefundDue), Measures{Sales: 1, Failed: 1, DueMicros: 10_300_000}},
		"open":                {oneSale(sales.Unknown, sales.CashTaken), Measures{Sales: 1, Open: 1, OpenMicros: 10_300_000}},
		"open, and paid back": {oneSale(sales.Unknown, sales.CashRefunded), Measures{Sales: 1, Open: 1, RefundedMicros: 10_300_000}},
		"in pence": {oneSale(sales.Complete, sales.CashEarned, in("GBP", 9_000_000)), with(sent, func(m *Measures) {
			m.PriceMicros, m.MarkUpMicros, m.MarginMicros = 9_000_000, 490_000, 1_000_000 // 8.512 and 8.00128
		})},
		"in pence, after its cash had gone back": {
			oneSale(sales.Complete, sales.CashRefunded, in("GBP", 9_000_000)), with(sent, func(m *Measures) {
				m.MarginMicros, m.RefundedMicros = -8_000_000, 9_000_000
			}),
		},
		"in yen, which have no smaller coin": {
			oneSale(sales.Complete, sales.CashEarned, in("JPY", 1_700_000_000)), with(sent, func(m *Measures) {
				m.PriceMicros, m.MarkUpMicros, m.MarginMicros = 1_700_000_000, 67_000_000, 165_000_000 // 1632.7 and 1534.738
			}),
		},
		"in fils": {oneSale(sales.Complete, sales.CashEarned, in("KWD", 3_500_000)), with(sent, func(m *Measures) {
			m.PriceMicros, m.MarkUpMicros, m.MarginMicros = 3_500_000, 149_000, 350_000 // 3.351 and 3.14994
		})},
		"in a currency without a rate: nobody knows the margin": {
			oneSale(sales.Complete, sales.CashEarned, in("USD", 12_000_000)), with(sent, func(m *Measures) { m.PriceMicros = 12_000_000 }),
		},
	} {
		got := c.sale.measures(rates)
		got.OutcomeMS, got.Within2s, got.Within10s, got.Within100s = 0, 0, 0, 0
		require.Equal(t, c.want, got, name)
	}
}

// The commission that the catalogue promised is to the cent, and none where it promised nothing that can be read.
func TestTheCommissionThatWasPromised(t *testing.T) {
	t.Parallel()
	for rate, want := range map[string]int64{"0.08": 800_000, "0.0805": 810_000, "0.0804": 800_000, "0": 0, "": 0, "8 %": 0, "-0.01": -100_000} {
		sale := oneSale(sales.Complete, sales.CashEarned, func(s *soldRow) { s.commissionRate = rate })
		require.Equal(t, want, sale.expected(), rate)
	}
}

// How long an outcome took counts for each bound it keeps, the bound itself included; a clock that went back is no time.
func TestHowLongAnOutcomeTook(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]Measures{
		-time.Second:      {OutcomeMS: 0, Within2s: 1, Within10s: 1, Within100s: 1},
		2 * time.Second:   {OutcomeMS: 2000, Within2s: 1, Within10s: 1, Within100s: 1},
		2*time.Second + 1: {OutcomeMS: 2000, Within10s: 1, Within100s: 1},
		10 * time.Second:  {OutcomeMS: 10_000, Within10s: 1, Within100s: 1},
		100 * time.Second: {OutcomeMS: 100_000, Within100s: 1},
		time.Hour:         {OutcomeMS: 3_600_000},
	} {
		var m Measures
		oneSale(sales.Failed, sales.CashRefundDue, func(s *soldRow) { s.finalAt.Time = soldAt.Add(took) }).timing(&m)
		require.Equal(t, want, m, took)
	}
	var open Measures
	oneSale(sales.Unknown, sales.CashTaken, func(s *soldRow) { s.finalAt = sql.NullTime{} }).timing(&open)
	require.Zero(t, open)
}

func TestSharesAreRoundedAndOfWhatIsSettled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ complete, failed, perMille int64 }{
		{1, 0, 1000}, {0, 1, 0}, {2, 1, 667}, {1, 2, 333}, {1999, 1, 1000}, {1, 1999, 1}, {1, 2000, 0},
	} {
		share, known := Measures{Complete: c.complete, Failed: c.failed, Open: 7}.SuccessPerMille()
		require.True(t, known)
		require.Equal(t, c.perMille, share, "%d of %d", c.complete, c.complete+c.failed)
	}
	_, known := Measures{Sales: 3, Open: 3}.SuccessPerMille()
	require.False(t, known)
	_, known = Measures{Sales: 3, Open: 3}.OutcomeMillis()
	require.False(t, known)
	mean, known := Measures{Complete: 2, Failed: 1, OutcomeMS: 10_000}.OutcomeMillis()
	require.True(t, known)
	require.EqualValues(t, 3333, mean)
	mean, known = Measures{Failed: 2, OutcomeMS: 10}.OutcomeMillis()
	require.True(t, known, "a failure is an outcome")
	require.EqualValues(t, 5, mean)
}

// The smallest set of sums that can answer does, and what no set can is said before it is asked.
func TestTheSmallestCubeAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		asked []Dimension
		cube  cube // "": none
	}{
		{nil, total},
		{[]Dimension{ByShop, ByDay, ByMonth}, total},
		{[]Dimension{BySlot, ByMonth}, hours},
		{[]Dimension{ByProvider}, brands},
		{[]Dimension{ByKind, ByCountry}, brands},
		{[]Dimension{ByTill}, cashiers},
		{[]Dimension{ByCashier, ByProvider}, people},
		{[]Dimension{ByProduct}, goods},
		{[]Dimension{ByReason}, reasons},
		{[]Dimension{ByReason, ByProvider}, failures},
		{[]Dimension{ByProduct, ByCashier}, ""},
		{[]Dimension{BySlot, ByCountry}, ""},
		{[]Dimension{ByReason, ByKind}, ""},
		{[]Dimension{ByReason, ByTill}, ""},
	} {
		got, ok := cubeFor(c.asked)
		require.Equal(t, c.cube, got, "%v", c.asked)
		require.Equal(t, c.cube != "", ok, "%v", c.asked)
		require.Equal(t, ok, Combine(c.asked...), "%v", c.asked)
	}
}

// A failed sale alone has a reason to be counted by, and no row of one cube has what belongs to another.
func TestRowsOfASale(t *testing.T) {
	t.Parallel()
	full := func(s *soldRow) {
		s.country, s.provider, s.kind, s.sku, s.till, s.cashier = "NG", "KONG", "top-up", "K1", "till", "ben"
		s.reasonCode, s.reasonContext = "Rejected", "Closed"
	}
	cubesOf := func(s soldRow) map[cube]key {
		found := map[cube]key{}
		for _, k := range keysOf(s, 33) {
			_, twice := found[k.cube]
			require.False(t, twice, "a sale would count twice in %s", k.cube)
			found[k.cube] = k
		}
		return found
	}
	sent := cubesOf(oneSale(sales.Complete, sales.CashEarned, full))
	require.Len(t, sent, 6)
	require.NotContains(t, sent, reasons)
	failed := cubesOf(oneSale(sales.Failed, sales.CashRefundDue, full))
	require.Len(t, failed, len(cubes))
	require.Equal(t, key{cube: reasons, reason: "Rejected/Closed", priceCurrency: "EUR", sendCurrency: "EUR"}, failed[reasons])
	require.Equal(t, key{cube: hours, slot: 33, priceCurrency: "EUR", sendCurrency: "EUR"}, failed[hours])
	require.Equal(t, key{cube: cashiers, till: "till", cashier: "ben", priceCurrency: "EUR", sendCurrency: "EUR"}, failed[cashiers])
	require.Equal(t, "Rejected", oneSale(sales.Failed, "", func(s *soldRow) { s.reasonCode = "Rejected" }).reason())
}
