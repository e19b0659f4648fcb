package frame_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/money"
	"airtill/internal/sheet"
	"airtill/web/frame"
	"airtill/web/locale"
)

// On pages to print, what the typeface lacks is an empty box: in Nigeria each sum had one for its ₦.
func TestAPrintedSumHasNoCharacterThatItsTypefaceLacks(t *testing.T) {
	t.Parallel()
	for _, spoken := range locale.Languages() {
		for _, country := range []string{"CR", "CV", "GH", "IE", "IL", "IN", "KR", "NG", "PH", "TH", "VN"} {
			l := frame.Printable(locale.New(locale.At(language.Make(spoken.Tag), country), time.UTC), "pdf")
			for _, currency := range money.Currencies() {
				text := l.Amount(money.MustParse("-1234567.89", currency))
				for _, sign := range text {
					require.True(t, sheet.Prints(sign), "%s in %s-%s", text, spoken.Tag, country)
				}
			}
		}
	}
	nigerian := locale.New(language.MustParse("en-NG"), time.UTC)
	require.Equal(t, "€5.00", frame.Printable(nigerian, "pdf").Amount(money.MustParse("5", "EUR")))
	require.Equal(t, "₦5.00", frame.Printable(nigerian, "xlsx").Amount(money.MustParse("5", "NGN")))
}
