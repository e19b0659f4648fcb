package money_test

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"airtill/internal/money"
)

// The number of decimals is the currency's own: a yen has none, a dinar three, and what nobody knows two.
func TestEachCurrencyHasItsDecimals(t *testing.T) {
	t.Parallel()
	for currency, text := range map[money.Currency]string{
		"EUR": "12.34 EUR", "JPY": "12.34 JPY", "KWD": "12.340 KWD", "XAF": "12.34 XAF", "QQQ": "12.34 QQQ", "": "12.34",
	} {
		require.Equal(t, text, money.MustParse("12.34", currency).String(), currency)
	}
	for currency, decimals := range map[money.Currency]int{
		"EUR": 2, "USD": 2, "NGN": 2, "JPY": 0, "XOF": 0, "RWF": 0, "UGX": 0, "KWD": 3, "TND": 3, "BHD": 3, "QQQ": 2, "": 2, "jpy": 2,
	} {
		require.Equal(t, decimals, currency.Decimals(), currency)
		require.Equal(t, map[int]int64{0: 1_000_000, 2: 10_000, 3: 1_000}[decimals], currency.Coin(), currency)
	}
	require.Equal(t, "500 JPY", money.MustParse("500", "JPY").String())
}

// What has the form of a code need not be one; what is chosen from is known, each once, in order.
func TestCodesOfCurrencies(t *testing.T) {
	t.Parallel()
	for code, valid := range map[money.Currency]bool{
		"EUR": true, "QQQ": true, "EU": false, "EURO": false, "eur": false, "E1R": false, "ÉU": false, "": false, "EU ": false,
	} {
		require.Equal(t, valid, code.Valid(), code)
		if !valid {
			require.False(t, code.Known(), code)
		}
	}
	all := money.Currencies()
	require.True(t, slices.IsSorted(all))
	require.Len(t, slices.Compact(slices.Clone(all)), len(all))
	require.Greater(t, len(all), 140)
	for _, code := range all {
		require.True(t, code.Valid() && code.Known(), code)
	}
	for _, code := range []money.Currency{"EUR", "NGN", "VES", "SLE"} {
		require.Contains(t, all, code)
	}
	require.NotContains(t, all, money.Currency("DEM"), "it is no longer in use")
}

func TestSignsAndOpposites(t *testing.T) {
	t.Parallel()
	for text, sign := range map[string]int{"0": 0, "-0": 0, "0.000001": 1, "-0.000001": -1, "10": 1} {
		a := money.MustParse(text, "EUR")
		require.Equal(t, sign, a.Sign(), text)
		require.Equal(t, sign == 0, a.IsZero(), text)
		require.Equal(t, -sign, a.Neg().Sign(), text)
		require.Equal(t, a, a.Neg().Neg(), text)
		require.Equal(t, money.Currency("EUR"), a.Neg().Currency())
	}
	require.True(t, money.Amount{}.IsZero())
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{{"1", "1", 0}, {"1", "1.000001", -1}, {"1.000001", "1", 1}, {"-2", "1", -1}, {"-1", "-2", 1}} {
		got, err := money.MustParse(c.a, "EUR").Cmp(money.MustParse(c.b, "EUR"))
		require.NoError(t, err)
		require.Equal(t, c.want, got, "%s and %s", c.a, c.b)
	}
}

// A sum is of one currency, none of it lost; of nothing it is nothing of that currency.
func TestSums(t *testing.T) {
	t.Parallel()
	of := func(micros int64) money.Amount { return money.Of(micros, "EUR") }
	none, err := money.Sum("EUR")
	require.NoError(t, err)
	require.Equal(t, of(0), none)
	one, err := money.Sum("EUR", of(7))
	require.NoError(t, err)
	require.Equal(t, of(7), one)
	several, err := money.Sum("EUR", of(math.MaxInt64), of(-1), of(-math.MaxInt64))
	require.NoError(t, err)
	require.Equal(t, of(-1), several)
	_, err = money.Sum("EUR", of(1), money.Of(1, "USD"))
	require.ErrorIs(t, err, money.ErrCurrency)
	_, err = money.Sum("USD", of(1))
	require.ErrorIs(t, err, money.ErrCurrency, "another currency than was asked for")
	_, err = money.Sum("EUR", of(math.MaxInt64), of(1), of(-1))
	require.ErrorIs(t, err, money.ErrOverflow, "though it would have come back")
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	left, err := money.MustParse("0.10", "EUR").Sub(money.MustParse("0.30", "EUR"))
	require.NoError(t, err)
	require.Equal(t, "-0.20 EUR", left.String())
	_, err = money.MustParse("1", "EUR").Sub(money.MustParse("1", "USD"))
	require.ErrorIs(t, err, money.ErrCurrency)
	_, err = money.Of(-2, "EUR").Sub(money.Of(math.MaxInt64, "EUR"))
	require.ErrorIs(t, err, money.ErrOverflow)
	same, err := money.Of(math.MinInt64+1, "EUR").Sub(money.Of(1, "EUR"))
	require.NoError(t, err)
	require.EqualValues(t, math.MinInt64, same.Micros())
}

// Decimals are filled up and never cut: what is finer than was asked for stands there.
func TestDecimalsAreNeverCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		micros   int64
		decimals int
		want     string
	}{
		{0, 0, "0"},
		{0, 2, "0.00"},
		{1, 0, "0.000001"},
		{1, 2, "0.000001"},
		{-1, 6, "-0.000001"},
		{-1, 8, "-0.00000100"},
		{1_500_000, 0, "1.5"},
		{1_500_000, 1, "1.5"},
		{1_500_000, 3, "1.500"},
		{10_000_000, 0, "10"},
		{100_000_000, 2, "100.00"},
		{-999_999, 2, "-0.999999"},
		{math.MaxInt64, 2, "9223372036854.775807"},
		{math.MinInt64, 7, "-9223372036854.7758080"},
	} {
		require.Equal(t, c.want, money.Of(c.micros, "EUR").Decimal(c.decimals), "%d to %d", c.micros, c.decimals)
	}
}

// A share is rounded once, half away from zero, to the decimals asked for.
func TestSharesAreRoundedToTheirDecimals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount, rate string
		decimals     int
		want         string
	}{
		{"10.01", "0.08", 2, "0.80"},
		{"10.07", "0.08", 2, "0.81"},
		{"0.05", "0.5", 2, "0.03"},
		{"-0.05", "0.5", 2, "-0.03"},
		{"0.15", "0.5", 2, "0.08"},
		{"1", "163.275", 0, "163"},
		{"1", "163.5", 0, "164"},
		{"1", "-163.5", 0, "-164"},
		{"1", "0.3355", 3, "0.336"},
		{"0.000001", "0.5", 6, "0.000001"},
		{"0.000001", "0.4", 6, "0"},
		{"7", "0", 2, "0"},
		{"1", "0.123456789", 6, "0.123457"},
		{"1", "0.123456789", 9, "0.123457"},
		{"1.5", "1", -1, "2"},
	} {
		got, err := money.MustParse(c.amount, "EUR").Times(decimal.RequireFromString(c.rate), c.decimals)
		require.NoError(t, err)
		require.Equal(t, money.MustParse(c.want, "EUR"), got, "%s × %s to %d", c.amount, c.rate, c.decimals)
	}
	_, err := money.Of(-math.MaxInt64, "EUR").Times(decimal.NewFromInt(2), 2)
	require.ErrorIs(t, err, money.ErrOverflow)
	most, err := money.Of(-math.MaxInt64, "EUR").Times(decimal.NewFromInt(-1), 6)
	require.NoError(t, err)
	require.EqualValues(t, math.MaxInt64, most.Micros())
}

// A share is what exact fractions come to, whatever the amount and the rate.
func TestSharesAgreeWithFractions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		micros := rapid.Int64Range(-1_000_000_000_000, 1_000_000_000_000).Draw(rt, "micros")
		rate := decimal.New(rapid.Int64Range(-10_000_000, 10_000_000).Draw(rt, "rate"), -6)
		decimals := rapid.IntRange(0, 6).Draw(rt, "decimals")
		got, err := money.Of(micros, "EUR").Times(rate, decimals)
		require.NoError(rt, err)
		coin := new(big.Rat).SetInt64(1)
		for range 6 - decimals {
			coin.Mul(coin, big.NewRat(10, 1))
		}
		exact := new(big.Rat).Mul(big.NewRat(micros, 1), rate.Rat())
		off := new(big.Rat).Sub(new(big.Rat).SetInt64(got.Micros()), exact)
		half := new(big.Rat).Quo(coin, big.NewRat(2, 1))
		require.LessOrEqual(rt, off.Abs(off).Cmp(half), 0, "more than half a coin off")
		require.True(rt, new(big.Rat).Quo(new(big.Rat).SetInt64(got.Micros()), coin).IsInt(), "no whole coins")
	})
}

// A rate is a number as JSON writes it, of any size and sign, and nothing else.
func TestRates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"0.07": "0.07", "1e-3": "0.001", "-2": "-2", "0.0000000001": "0.0000000001", "12E2": "1200"} {
		got, err := money.Rate(text)
		require.NoError(t, err, text)
		require.True(t, got.Equal(decimal.RequireFromString(want)), text)
	}
	for _, text := range []string{"", "7 %", "0,07", ".07", "7.", "+7", "0x1", "NaN", "Infinity", "1e", " 1"} {
		_, err := money.Rate(text)
		require.ErrorIs(t, err, money.ErrSyntax, text)
	}
}

// Exponents neither lose digits nor take long, however large; a text that is refused is told, but not all of it.
func TestExponentsAndWhatIsToldOfThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"100000000e-8": 1_000_000, "0.00001E5": 1_000_000, "1e12": 1_000_000_000_000_000_000, "0e-999": 0, "10e-7": 1, "1e-006": 1,
	} {
		got, err := money.Parse(text, "EUR")
		require.NoError(t, err, text)
		require.Equal(t, want, got.Micros(), text)
	}
	for text, want := range map[string]error{
		"1e-+2": money.ErrSyntax, "1e+-2": money.ErrSyntax, "1e": money.ErrSyntax, "1e1_0": money.ErrSyntax,
		"1e-999": money.ErrTooFine, "1e999": money.ErrOverflow, "1e-1000": money.ErrOverflow, "0e1000": money.ErrOverflow, "9999999999999.999999": money.ErrOverflow, "1e13": money.ErrOverflow,
		"18446744073710": money.ErrOverflow, "99999999999999.9": money.ErrOverflow, "1e+-1": money.ErrSyntax, "1e1.5": money.ErrSyntax,
	} {
		_, err := money.Parse(text, "EUR")
		require.ErrorIs(t, err, want, text)
	}
	_, err := money.Parse(strings.Repeat("9", 5000), "EUR")
	require.ErrorIs(t, err, money.ErrOverflow)
	require.Less(t, len(err.Error()), 100)
	require.Panics(t, func() { money.MustParse("ten", "EUR") })
}
