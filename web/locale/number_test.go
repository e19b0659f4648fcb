package locale_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/web/locale"
)

func TestHundredthsAreRoundedAwayFromZero(t *testing.T) {
	t.Parallel()
	l := locale.New(language.English, nil)
	for text, all := range map[string][]time.Duration{
		"0.00":      {0, 4*time.Millisecond + 999, -4 * time.Millisecond},
		"0.01":      {5 * time.Millisecond, 14 * time.Millisecond},
		"−0.01":     {-5 * time.Millisecond},
		"0.25":      {250 * time.Millisecond, 253*time.Millisecond + 700*time.Microsecond},
		"−0.50":     {-500 * time.Millisecond},
		"1.00":      {995 * time.Millisecond, time.Second},
		"0.99":      {994 * time.Millisecond},
		"−1.00":     {-995 * time.Millisecond},
		"14,400.00": {4 * time.Hour},
	} {
		for _, d := range all {
			require.Equal(t, text, l.Hundredths(d), "%v", d)
		}
	}
}
