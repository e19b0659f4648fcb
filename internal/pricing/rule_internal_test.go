package pricing

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"airtill/internal/fault"
	"airtill/internal/money"
)

var someTime = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// told is a refusal's field and code.
func told(err error) string {
	var refusal *fault.Error
	if !errors.As(err, &refusal) {
		return ""
	}
	return strings.TrimSpace(refusal.Field + " " + refusal.Code)
}

// A rule is refused at its bounds and not before, with the field that must change.
func TestTheBoundsOfARule(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("ä", longestName)
	for name, c := range map[string]struct {
		change func(*Rule)
		told   string
	}{
		"as it is":                   {func(*Rule) {}, ""},
		"a long name":                {func(r *Rule) { r.Name = " " + longest + " " }, ""},
		"too long a name":            {func(r *Rule) { r.Name = longest + "x" }, "name rule.name"},
		"the first priority":         {func(r *Rule) { r.Priority = 1 }, ""},
		"the last priority":          {func(r *Rule) { r.Priority = 1000 }, ""},
		"beyond it":                  {func(r *Rule) { r.Priority = 1001 }, "priority rule.priority"},
		"half off":                   {func(r *Rule) { r.Value = "-50" }, ""},
		"more than half off":         {func(r *Rule) { r.Value = "-50.000001" }, "value rule.percent"},
		"three times as much":        {func(r *Rule) { r.Value = "200" }, ""},
		"more than that":             {func(r *Rule) { r.Value = "200.000001" }, "value rule.percent"},
		"to a millionth":             {func(r *Rule) { r.Value = "1.000001" }, ""},
		"finer":                      {func(r *Rule) { r.Value = "1.0000001" }, "value rule.value"},
		"a large sum":                {func(r *Rule) { r.Way, r.Value = Fixed, "1000000000" }, ""},
		"a larger one":               {func(r *Rule) { r.Way, r.Value = Fixed, "1000000000.01" }, "value rule.sum"},
		"a sum off":                  {func(r *Rule) { r.Way, r.Value = Fixed, "-1000000000" }, ""},
		"a larger sum off":           {func(r *Rule) { r.Way, r.Value = Fixed, "-1000000000.01" }, "value rule.sum"},
		"a price of a coin":          {func(r *Rule) { r.Way, r.Value = Target, "0.01" }, ""},
		"a price below nothing":      {func(r *Rule) { r.Way, r.Value = Target, "-1" }, "value rule.sum"},
		"a band of one amount":       {func(r *Rule) { r.FromMicros, r.ToMicros = 5, 5 }, ""},
		"a band without an end":      {func(r *Rule) { r.FromMicros = 5 }, ""},
		"a band below nothing":       {func(r *Rule) { r.FromMicros = -1 }, "to_amount rule.band"},
		"an end below nothing":       {func(r *Rule) { r.ToMicros = -1 }, "to_amount rule.band"},
		"one day":                    {func(r *Rule) { r.FirstDay, r.LastDay = "2026-03-20", "2026-03-20" }, ""},
		"a day of another century":   {func(r *Rule) { r.FirstDay = "1999-12-31" }, "starts day.form"},
		"a day that does not exist":  {func(r *Rule) { r.LastDay = "2027-02-29" }, "ends day.form"},
		"a leap day":                 {func(r *Rule) { r.LastDay = "2028-02-29" }, ""},
		"a kind":                     {func(r *Rule) { r.Kind = "top-up" }, ""},
		"a last day without a first": {func(r *Rule) { r.LastDay = "2026-03-20" }, ""},
	} {
		r := Rule{Name: "A rule", Priority: 10, Way: Percent, Value: "3"}
		c.change(&r)
		require.Equal(t, c.told, told(r.Check()), name)
		require.Equal(t, strings.TrimSpace(r.Name), r.Name, name)
	}
}

// Two rules of one priority contradict each other where one sale could be both's, and only there.
func TestRulesThatContradict(t *testing.T) {
	t.Parallel()
	with := func(change func(*Rule)) Rule {
		r := Rule{Priority: 10}
		change(&r)
		return r
	}
	for name, c := range map[string]struct {
		a, b func(*Rule)
		yes  bool
	}{
		"both for all":            {func(*Rule) {}, func(*Rule) {}, true},
		"another priority":        {func(*Rule) {}, func(r *Rule) { r.Priority = 11 }, false},
		"a shop, and all":         {func(r *Rule) { r.ShopID = "1" }, func(*Rule) {}, true},
		"two shops":               {func(r *Rule) { r.ShopID = "1" }, func(r *Rule) { r.ShopID = "2" }, false},
		"a shop, and a country":   {func(r *Rule) { r.ShopID = "1" }, func(r *Rule) { r.Country = "NG" }, true},
		"two countries":           {func(r *Rule) { r.Country = "KE" }, func(r *Rule) { r.Country = "NG" }, false},
		"two providers":           {func(r *Rule) { r.Provider = "A" }, func(r *Rule) { r.Provider = "B" }, false},
		"two kinds":               {func(r *Rule) { r.Kind = "data" }, func(r *Rule) { r.Kind = "pin" }, false},
		"two products":            {func(r *Rule) { r.SKU = "A" }, func(r *Rule) { r.SKU = "B" }, false},
		"bands that touch":        {func(r *Rule) { r.ToMicros = 5 }, func(r *Rule) { r.FromMicros = 5 }, true},
		"bands that do not":       {func(r *Rule) { r.ToMicros = 5 }, func(r *Rule) { r.FromMicros = 6 }, false},
		"bands the other way":     {func(r *Rule) { r.FromMicros = 6 }, func(r *Rule) { r.ToMicros = 5 }, false},
		"a band without an end":   {func(r *Rule) { r.FromMicros = 5 }, func(r *Rule) { r.FromMicros = 9 }, true},
		"days that touch":         {func(r *Rule) { r.LastDay = "2026-03-20" }, func(r *Rule) { r.FirstDay = "2026-03-20" }, true},
		"days that do not":        {func(r *Rule) { r.LastDay = "2026-03-20" }, func(r *Rule) { r.FirstDay = "2026-03-21" }, false},
		"days the other way":      {func(r *Rule) { r.FirstDay = "2026-03-21" }, func(r *Rule) { r.LastDay = "2026-03-20" }, false},
		"one of them for ever":    {func(r *Rule) { r.FirstDay = "2026-03-21" }, func(r *Rule) { r.FirstDay = "2026-05-01" }, true},
		"the same shop's, banded": {func(r *Rule) { r.ShopID, r.ToMicros = "1", 5 }, func(r *Rule) { r.ShopID, r.FromMicros = "1", 6 }, false},
	} {
		a, b := with(c.a), with(c.b)
		require.Equal(t, c.yes, a.contradicts(b), name)
		require.Equal(t, c.yes, b.contradicts(a), "%s, the other way round", name)
	}
}

// Of two rules of one priority that do not contradict each other, no sale is ever both's.
func TestRulesApartShareNoSale(t *testing.T) {
	t.Parallel()
	some := func(rt *rapid.T, name string, values ...string) string {
		return rapid.SampledFrom(values).Draw(rt, name)
	}
	drawn := func(rt *rapid.T, name string) Rule {
		r := Rule{
			Priority: 1, ShopID: some(rt, name+"shop", "", "1", "2"), Country: some(rt, name+"country", "", "NG"), SKU: some(rt, name+"sku", "", "A", "B"),
			FirstDay: some(rt, name+"first", "", "2026-03-13", "2026-03-15"), LastDay: some(rt, name+"last", "", "2026-03-14", "2026-03-15"),
			FromMicros: rapid.Int64Range(0, 4).Draw(rt, name+"from"), ToMicros: rapid.Int64Range(0, 4).Draw(rt, name+"to"),
		}
		if r.ToMicros != 0 && r.ToMicros < r.FromMicros || r.LastDay != "" && r.LastDay < r.FirstDay {
			r.ToMicros, r.LastDay = 0, ""
		}
		return r
	}
	rapid.Check(t, func(rt *rapid.T) {
		a, b := drawn(rt, "a"), drawn(rt, "b")
		shared := false
		for _, shop := range []string{"1", "2", "3"} {
			for _, sku := range []string{"A", "B", "C"} {
				for _, day := range []string{"2026-03-12", "2026-03-13", "2026-03-14", "2026-03-15", "2026-03-16"} {
					for micros := range int64(6) {
						s := Subject{Country: "NG", SKU: sku, Send: money.Of(micros, "EUR")}
						shared = shared || a.fits(shop, s, day) && b.fits(shop, s, day)
					}
				}
			}
		}
		require.Equal(rt, shared, a.contradicts(b))
	})
}

// A price is rounded up, to the coins there are: never to half a yen, never to less than a fils.
func TestPricesAreRoundedUpToCoins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ amount, rounding, want string }{
		{"10.000001 EUR", "", "10.01"},
		{"10.01 EUR", "", "10.01"},
		{"0 EUR", "", "0.00"},
		{"0 EUR", EndsIn99, "0.99"},
		{"10.00 EUR", "0.05", "10.00"},
		{"10.01 EUR", "0.05", "10.05"},
		{"10.99 EUR", EndsIn99, "10.99"},
		{"10.991 EUR", EndsIn99, "11.99"},
		{"1632.7 JPY", "", "1633"},
		{"1632 JPY", "0.05", "1632"},
		{"1632 JPY", EndsIn99, "1632"},
		{"1632.2 JPY", EndsIn99, "1633"},
		{"3.3511 KWD", EndsIn99, "3.990"},
		{"1632.2 JPY", "0.50", "1633"},
		{"3.3511 KWD", "", "3.352"},
		{"3.3511 KWD", "0.05", "3.400"},
		{"3.35 KWD", "0.05", "3.350"},
		{"101.20 EUR", "5", "105.00"},
		{"15230.01 NGN", "10", "15240.00"},
		{"158100 AOA", "50", "158100.00"},
		{"15230.50 IDR", "100", "15300.00"},
		{"15300 IDR", "100", "15300.00"},
		{"15300 IDR", "500", "15500.00"},
		{"15500.01 IDR", "1000", "16000.00"},
		{"450001 LBP", "5000", "455000.00"},
	} {
		value, currency, _ := strings.Cut(c.amount, " ")
		got, err := roundUp(money.MustParse(value, money.Currency(currency)), c.rounding)
		require.NoError(t, err)
		require.Equal(t, c.want, got.Decimal(money.Currency(currency).Decimals()), "%+v", c)
	}
	for _, rounding := range Roundings() {
		_, err := roundUp(money.Of(1, "EUR"), rounding)
		require.NoError(t, err, "every choice is understood")
	}
	_, err := roundUp(money.Of(1<<63-1, "EUR"), "1.00")
	require.ErrorIs(t, err, money.ErrOverflow)
	_, err = roundUp(money.Of(1, "EUR"), "a little")
	require.Error(t, err)
}

// A rate holds from its moment on, the newest of its own pair, in one direction.
func TestWhichRateHolds(t *testing.T) {
	t.Parallel()
	rates := []Rate{
		{FromCurrency: "EUR", ToCurrency: "GBP", Rate: "0.9", ValidFrom: someTime.Add(time.Hour)},
		{FromCurrency: "EUR", ToCurrency: "USD", Rate: "1.1", ValidFrom: someTime},
		{FromCurrency: "EUR", ToCurrency: "GBP", Rate: "0.8", ValidFrom: someTime},
		{FromCurrency: "EUR", ToCurrency: "KES", Rate: "many", ValidFrom: someTime},
	}
	for name, c := range map[string]struct {
		from, to money.Currency
		after    time.Duration
		want     string // "": none
	}{
		"from its moment on":      {"EUR", "GBP", 0, "0.8"},
		"before the first":        {"EUR", "GBP", -1, ""},
		"until the next":          {"EUR", "GBP", time.Hour - 1, "0.8"},
		"from the next on":        {"EUR", "GBP", time.Hour, "0.9"},
		"of its pair":             {"EUR", "USD", time.Hour, "1.1"},
		"not the other way":       {"GBP", "EUR", time.Hour, ""},
		"of no pair":              {"EUR", "JPY", time.Hour, ""},
		"one that cannot be read": {"EUR", "KES", time.Hour, ""},
	} {
		rate, known := RateAt(rates, c.from, c.to, someTime.Add(c.after))
		require.Equal(t, c.want != "", known, name)
		if known {
			require.Equal(t, c.want, rate.String(), name)
		}
	}
	tariff := Tariff{Currency: "GBP", At: someTime.Add(staleAfter), rates: rates[2:]}
	_, old := tariff.OldRate("EUR")
	require.False(t, old, "two weeks to the moment")
	tariff.At = tariff.At.Add(1)
	since, old := tariff.OldRate("EUR")
	require.True(t, old)
	require.Equal(t, someTime, since)
}

// A draft is tried beside the rules in use and changes none of them.
func TestADraftChangesNoRule(t *testing.T) {
	t.Parallel()
	in := Tariff{ShopID: "shop", Currency: "EUR", day: "2026-03-14", rules: []Rule{
		{ID: "high", Priority: 20, Way: Fixed, Value: "2"}, {ID: "low", Priority: 5, Way: Fixed, Value: "1"},
	}}
	before := fmt.Sprint(in.rules)
	decides := func(t2 *Tariff) string {
		priced, err := t2.Price(Subject{Send: money.MustParse("10", "EUR"), DistributorFee: money.Of(0, "EUR")})
		require.NoError(t, err)
		if priced.Rule == nil {
			return ""
		}
		return priced.Rule.ID
	}
	require.Equal(t, "high", decides(&in))
	require.Equal(t, "draft", decides(in.With(Rule{ID: "draft", Priority: 30, Way: Target, Value: "20"})))
	require.Equal(t, "high", decides(in.With(Rule{ID: "draft", Priority: 10, Way: Target, Value: "20"})))
	require.Equal(t, "low", decides(in.Without("high")))
	require.Empty(t, decides(in.Without("high").Without("low")))
	require.Equal(t, "high", decides(in.Without("nothing")))
	require.Equal(t, before, fmt.Sprint(in.rules))
}

// Whoever made a rule does not allow it to sell below cost, and one allowance is enough.
func TestWhoMayAllowBelowCost(t *testing.T) {
	t.Parallel()
	r := Rule{MadeBy: "anna"}
	require.False(t, r.AllowableBy("anna"))
	require.True(t, r.AllowableBy("boris"))
	r.BelowCost = true
	require.False(t, r.AllowableBy("boris"))
}
