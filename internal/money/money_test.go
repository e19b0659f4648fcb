package money_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"airtill/internal/money"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, micros := range map[string]int64{
		"0": 0, "-0": 0, "10.30": 10_300_000, "-0.5": -500_000, "0.000001": 1,
		"1E+2": 100_000_000, "12e-1": 1_200_000, "1.0000000000": 1_000_000,
		"9223372036854.775807": math.MaxInt64, "0e999": 0, "007": 7_000_000,
	} {
		got, err := money.Parse(text, "EUR")
		require.NoError(t, err, text)
		require.Equal(t, money.Of(micros, "EUR"), got, text)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"": money.ErrSyntax, "-": money.ErrSyntax, ".5": money.ErrSyntax, "5.": money.ErrSyntax,
		"1,5": money.ErrSyntax, "+1": money.ErrSyntax, " 1": money.ErrSyntax, "NaN": money.ErrSyntax,
		"1e": money.ErrSyntax, "0x10": money.ErrSyntax, "١": money.ErrSyntax, "1.2.3": money.ErrSyntax,
		"0.0000001": money.ErrTooFine, "1e-7": money.ErrTooFine,
		"1e21": money.ErrOverflow, "9223372036854.775808": money.ErrOverflow, "1e9999": money.ErrOverflow,
	} {
		_, err := money.Parse(text, "EUR")
		require.ErrorIs(t, err, want, text)
	}
}

func TestArithmeticKeepsCurrenciesApart(t *testing.T) {
	t.Parallel()
	_, err := money.MustParse("1", "EUR").Add(money.MustParse("1", "USD"))
	require.ErrorIs(t, err, money.ErrCurrency)
	_, err = money.MustParse("1", "EUR").Cmp(money.MustParse("1", "USD"))
	require.ErrorIs(t, err, money.ErrCurrency)
}

func TestArithmeticNeverWraps(t *testing.T) {
	t.Parallel()
	biggest, smallest := money.Of(math.MaxInt64, "EUR"), money.Of(math.MinInt64, "EUR")
	for _, pair := range [][2]money.Amount{{biggest, money.Of(1, "EUR")}, {smallest, money.Of(-1, "EUR")}, {smallest, smallest}} {
		_, err := pair[0].Add(pair[1])
		require.ErrorIs(t, err, money.ErrOverflow)
	}
	_, err := money.Of(0, "EUR").Sub(smallest)
	require.ErrorIs(t, err, money.ErrOverflow)
}

func TestDecimal(t *testing.T) {
	t.Parallel()
	require.Equal(t, "10.30", money.MustParse("10.3", "EUR").Decimal(2))
	require.Equal(t, "0.125", money.MustParse("0.125", "EUR").Decimal(2))
	require.Equal(t, "500", money.MustParse("500", "JPY").Decimal(0))
	require.Equal(t, "-0.50 EUR", money.MustParse("-0.5", "EUR").String())
	require.Equal(t, "-9223372036854.775808", money.Of(math.MinInt64, "EUR").Decimal(0))
}

func TestTimesRoundsHalfAwayFromZero(t *testing.T) {
	t.Parallel()
	rate := decimal.RequireFromString("0.07")
	for text, want := range map[string]string{"10": "0.70", "0.50": "0.04", "-0.50": "-0.04", "1.07": "0.07"} {
		got, err := money.MustParse(text, "EUR").Times(rate, 2)
		require.NoError(t, err)
		require.Equal(t, money.MustParse(want, "EUR"), got, text)
	}
	_, err := money.Of(math.MaxInt64, "EUR").Times(decimal.NewFromInt(2), 2)
	require.ErrorIs(t, err, money.ErrOverflow)
}

func TestTextAndBackIsTheSameAmount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := money.Of(rapid.Int64Range(-math.MaxInt64, math.MaxInt64).Draw(t, "micros"), "EUR")
		back, err := money.Parse(a.Decimal(rapid.IntRange(0, 9).Draw(t, "decimals")), "EUR")
		require.NoError(t, err)
		require.Equal(t, a, back)
		back, err = money.Read(a.String())
		require.NoError(t, err)
		require.Equal(t, a, back)
	})
}

func TestAddAgreesWithBigIntegers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		sum, err := money.Of(a, "EUR").Add(money.Of(b, "EUR"))
		exact := new(big.Int).Add(big.NewInt(a), big.NewInt(b))
		if exact.IsInt64() {
			require.NoError(t, err)
			require.Equal(t, exact.Int64(), sum.Micros())
		} else {
			require.ErrorIs(t, err, money.ErrOverflow)
		}
	})
}

// FuzzParse: whatever Parse accepts has the exact value that big.Rat gives it.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"10.30", "-0", "1e-6", "1E+12", "0.0000010", "9223372036854.775807"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := money.Parse(text, "EUR")
		if err != nil {
			return
		}
		exact, ok := new(big.Rat).SetString(text)
		require.True(t, ok, text)
		require.Zero(t, exact.Cmp(big.NewRat(a.Micros(), money.Scale)), text)
	})
}

func TestWhatIsTypedIsACurrency(t *testing.T) {
	t.Parallel()
	for code, known := range map[money.Currency]bool{"EUR": true, "XCG": true, "VES": true, "QQQ": false, "eur": false, "EURO": false, "": false} {
		require.Equal(t, known, code.Known(), code)
	}
}
