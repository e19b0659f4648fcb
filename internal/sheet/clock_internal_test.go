package sheet

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
)

// TestASpreadsheetFindsTheSecond: one that sorts sales into hours puts what was sold at 13:00:00 into the thirteenth. It
// forgives less than a thousandth of a second.
func TestASpreadsheetFindsTheSecond(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC)
	for second := range 24 * 60 * 60 {
		days, err := decimal.NewFromString(Moment(midnight.Add(time.Duration(second)*time.Second), time.UTC).number())
		require.NoError(t, err)
		off := days.Sub(decimal.NewFromInt(46095)).Mul(decimal.NewFromInt(24 * 60 * 60)).Sub(decimal.NewFromInt(int64(second)))
		if off.Abs().GreaterThan(decimal.New(1, -4)) {
			require.Failf(t, "off", "%s is off by %s s", midnight.Add(time.Duration(second)*time.Second), off)
		}
	}
}
