package money

import (
	"fmt"
	"math"

	"github.com/shopspring/decimal"
)

// Times returns amount × rate, rounded half away from zero to so many decimals
// of the currency unit (0 to 6). It is the one place where an amount is
// rounded; rates (commission, mark-up, tax) are exact decimals until here.
func (a Amount) Times(rate decimal.Decimal, decimals int) (Amount, error) {
	exact := decimal.New(a.micros, -scaleDigits).Mul(rate)
	micros := exact.Round(int32(min(max(decimals, 0), scaleDigits))).Shift(scaleDigits)
	if micros.Abs().GreaterThan(decimal.NewFromInt(math.MaxInt64)) {
		return Amount{}, fmt.Errorf("%w: %s × %s", ErrOverflow, a, rate)
	}
	return Amount{micros: micros.IntPart(), currency: a.currency}, nil
}

// Rate reads a rate such as a commission of "0.07". It fails with ErrSyntax on
// anything that is not a JSON number.
func Rate(text string) (decimal.Decimal, error) {
	if _, _, _, err := scan(text); err != nil {
		return decimal.Decimal{}, fmt.Errorf("%w: %.40q", err, text)
	}
	return decimal.NewFromString(text)
}
