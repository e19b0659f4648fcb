// Package money holds exact amounts: whole millionths of a currency unit.
//
// No amount ever passes through a floating-point number. A value finer than a
// millionth, a sum of two currencies and an overflow are errors, never a
// silent loss.
package money

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Scale is the number of micros in one currency unit.
const Scale = 1_000_000

const scaleDigits = 6

// The errors of this package.
var (
	ErrSyntax   = errors.New("not a decimal amount")
	ErrTooFine  = errors.New("finer than a millionth")
	ErrOverflow = errors.New("amount too large")
	ErrCurrency = errors.New("currencies differ")
)

// Amount is an exact sum of money: micros (millionths of a unit) of a currency.
// The zero Amount is zero of no currency.
type Amount struct {
	micros   int64
	currency Currency
}

// Of returns an amount of micros, as stored in a BIGINT column beside its currency.
func Of(micros int64, currency Currency) Amount {
	return Amount{micros: micros, currency: currency}
}

// Parse reads a decimal number as JSON writes it: an optional minus, digits,
// an optional fraction, an optional exponent ("10.30", "1E+2", "-0.5"). It
// fails with ErrSyntax, with ErrTooFine if a non-zero digit stands past the
// sixth decimal, or with ErrOverflow past about 9.2 trillion units.
func Parse(text string, currency Currency) (Amount, error) {
	micros, err := parseMicros(text)
	if err != nil {
		return Amount{}, fmt.Errorf("%w: %.40q", err, text)
	}
	return Amount{micros: micros, currency: currency}, nil
}

// Read reads an amount as String writes it.
func Read(text string) (Amount, error) {
	number, currency, _ := strings.Cut(text, " ")
	return Parse(number, Currency(currency))
}

// MustParse is Parse for constants in code and tests; it panics on an error.
func MustParse(text string, currency Currency) Amount {
	a, err := Parse(text, currency)
	if err != nil {
		panic(err)
	}
	return a
}

// Micros returns the amount in millionths of its currency unit.
func (a Amount) Micros() int64 { return a.micros }

// Currency returns the amount's currency.
func (a Amount) Currency() Currency { return a.currency }

// IsZero says whether the amount is nothing, in whatever currency.
func (a Amount) IsZero() bool { return a.micros == 0 }

// Sign returns -1, 0 or 1.
func (a Amount) Sign() int { return cmp.Compare(a.micros, 0) }

// Neg returns the amount with its sign turned. The one amount without an opposite, the smallest int64, makes
// Add and Sub fail with ErrOverflow and cannot come out of Parse.
func (a Amount) Neg() Amount { return Amount{micros: -a.micros, currency: a.currency} }

// Add returns a + b. It fails with ErrCurrency or ErrOverflow.
func (a Amount) Add(b Amount) (Amount, error) {
	if a.currency != b.currency {
		return Amount{}, fmt.Errorf("%w: %s + %s", ErrCurrency, a.currency, b.currency)
	}
	sum := a.micros + b.micros
	if (sum > a.micros) != (b.micros > 0) {
		return Amount{}, ErrOverflow
	}
	return Amount{micros: sum, currency: a.currency}, nil
}

// Sub returns a − b. It fails with ErrCurrency or ErrOverflow.
func (a Amount) Sub(b Amount) (Amount, error) {
	if b.micros == math.MinInt64 {
		return Amount{}, ErrOverflow
	}
	return a.Add(b.Neg())
}

// Cmp compares two amounts of one currency: -1, 0 or 1. Amounts of different
// currencies cannot be ordered: ErrCurrency.
func (a Amount) Cmp(b Amount) (int, error) {
	if a.currency != b.currency {
		return 0, fmt.Errorf("%w: %s and %s", ErrCurrency, a.currency, b.currency)
	}
	return cmp.Compare(a.micros, b.micros), nil
}

// Decimal returns the amount as decimal text with at least so many decimals, and more if it needs them:
// Decimal(2) of 10.3 is "10.30", of 0.125 is "0.125". It never rounds.
func (a Amount) Decimal(decimals int) string {
	// The magnitude of MinInt64 does not fit an int64, so work unsigned.
	text, magnitude := make([]byte, 0, 32), uint64(a.micros)
	if a.micros < 0 {
		text, magnitude = append(text, '-'), -magnitude
	}
	text = strconv.AppendUint(text, magnitude/Scale, 10)
	whole := len(text)
	text = strconv.AppendUint(text, Scale+magnitude%Scale, 10) // its leading 1 makes room for the point
	text[whole] = '.'
	for len(text)-whole-1 > decimals && text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	for len(text)-whole-1 < decimals {
		text = append(text, '0')
	}
	return strings.TrimSuffix(string(text), ".")
}

// String returns the amount for logs and errors, such as "10.30 EUR". Screens
// format by locale instead.
func (a Amount) String() string {
	return strings.TrimSpace(a.Decimal(a.currency.Decimals()) + " " + string(a.currency))
}

// Sum adds amounts of one currency. The sum of none is zero of that currency.
func Sum(currency Currency, amounts ...Amount) (Amount, error) {
	total := Amount{currency: currency}
	for _, a := range amounts {
		var err error
		if total, err = total.Add(a); err != nil {
			return Amount{}, err
		}
	}
	return total, nil
}

// parseMicros reads the decimal grammar of JSON numbers into millionths.
func parseMicros(text string) (int64, error) {
	digits, exponent, negative, err := scan(text)
	if err != nil {
		return 0, err
	}
	// value = digits × 10^exponent, wanted in 10^-6.
	shift := exponent + scaleDigits
	for shift < 0 && len(digits) > 0 {
		last := digits[len(digits)-1]
		if last != '0' {
			return 0, ErrTooFine
		}
		digits, shift = digits[:len(digits)-1], shift+1
	}
	if len(digits) == 0 {
		return 0, nil
	}
	if len(digits)+shift > 19 { // any 19 digits fit a uint64
		return 0, ErrOverflow
	}
	var value uint64
	for i := range len(digits) + shift {
		value *= 10
		if i < len(digits) {
			value += uint64(digits[i] - '0')
		}
	}
	if value > math.MaxInt64 {
		return 0, ErrOverflow
	}
	if negative {
		return -int64(value), nil
	}
	return int64(value), nil
}

// scan splits a JSON number into its significant digits without leading
// zeros, the power of ten they are multiplied by, and its sign.
func scan(text string) (digits string, exponent int, negative bool, err error) {
	rest, negative := strings.CutPrefix(text, "-")
	mantissa, power, hasPower := strings.Cut(strings.ToLower(rest), "e")
	whole, fraction, hasPoint := strings.Cut(mantissa, ".")
	if !allDigits(whole) || (hasPoint && !allDigits(fraction)) {
		return "", 0, false, ErrSyntax
	}
	if hasPower {
		if exponent, err = scanExponent(power); err != nil {
			return "", 0, false, err
		}
	}
	digits = strings.TrimLeft(whole+fraction, "0")
	return digits, exponent - len(fraction), negative, nil
}

func scanExponent(power string) (int, error) {
	exponent, err := strconv.Atoi(power)
	switch {
	case exponent < -999 || exponent > 999: // also where it is beyond an int
		return 0, ErrOverflow
	case err != nil:
		return 0, ErrSyntax
	}
	return exponent, nil
}

func allDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}
