package catalogue

import (
	"math/big"
	"strconv"

	"airtill/internal/money"
)

// Decimal is a decimal of the wire in millionths: an amount whose currency
// stands in a field beside it, or a rate. In JSON it is a number in plain
// notation, never in exponents.
type Decimal int64

// Cent is a hundredth, the step of every value sent.
const Cent = Decimal(money.Scale / 100)

// Unit is one.
const Unit = Decimal(money.Scale)

// MarshalJSON writes the number with as many decimals as it needs.
func (d Decimal) MarshalJSON() ([]byte, error) { return d.append(make([]byte, 0, 16)), nil }

// UnmarshalJSON reads a JSON number.
func (d *Decimal) UnmarshalJSON(b []byte) error {
	parsed, err := ParseDecimal(string(b))
	*d = parsed
	return err
}

// String returns the decimal text with at least two decimals.
func (d Decimal) String() string { return money.Of(int64(d), "").Decimal(2) }

func (d Decimal) append(b []byte) []byte {
	magnitude := uint64(d)
	if d < 0 {
		b, magnitude = append(b, '-'), -magnitude
	}
	b = strconv.AppendUint(b, magnitude/money.Scale, 10)
	fraction := magnitude % money.Scale
	if fraction == 0 {
		return b
	}
	b = append(b, '.')
	for step := uint64(money.Scale / 10); fraction > 0; step /= 10 {
		b = append(b, byte('0'+fraction/step))
		fraction %= step
	}
	return b
}

// ParseDecimal reads a JSON number. It fails with the errors of money.Parse.
func ParseDecimal(text string) (Decimal, error) {
	a, err := money.Parse(text, "")
	return Decimal(a.Micros()), err
}

// rounding says which way a quotient goes that is no multiple of its step.
type rounding int

const (
	down rounding = iota
	nearest
	up
)

// mulDiv returns a × b ÷ c as a multiple of step, exactly, without overflow in
// between. All arguments are not negative, c and step positive.
func mulDiv(a, b, c, step Decimal, r rounding) Decimal {
	numerator := new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(b)))
	denominator := new(big.Int).Mul(big.NewInt(int64(c)), big.NewInt(int64(step)))
	switch r {
	case up:
		numerator.Add(numerator, new(big.Int).Sub(denominator, big.NewInt(1)))
	case nearest:
		numerator.Add(numerator, new(big.Int).Rsh(denominator, 1))
	case down: // as division does
	}
	return Decimal(numerator.Quo(numerator, denominator).Int64()) * step
}

// Share returns amount × rate rounded half up to the cent: a commission or a
// tax. Both are not negative.
func Share(amount, rate Decimal) Decimal { return mulDiv(amount, rate, Unit, Cent, nearest) }
