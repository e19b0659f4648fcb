package locale_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
	"pgregory.net/rapid"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/web/locale"
)

func in(tag string) locale.Locale { return locale.New(language.MustParse(tag), nil) }

func TestAmount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tag, value, currency, want string }{
		{"en-IE", "10.3", "EUR", "€10.30"},
		{"en-IE", "1234567.5", "EUR", "€1,234,567.50"},
		{"en-IE", "-0.5", "EUR", "−€0.50"},
		{"en-IE", "5000", "NGN", "NGN\u00a05,000.00"},
		{"en-IE", "10", "USD", "US$10.00"},
		{"en-US", "10", "USD", "$10.00"},
		{"en-IE", "500", "JPY", "JP¥500"},
		{"en-IE", "0.125", "EUR", "€0.125"},
		{"en-IE", "1.5", "KWD", "KWD\u00a01.500"},
		{"en-IE", "3", "XYZ", "XYZ\u00a03.00"},
		{"es", "1234.5", "EUR", "1.234,50\u00a0€"},
		{"fr", "1234.5", "EUR", "1\u00a0234,50\u00a0€"},
		{"de", "-10.3", "EUR", "−10,30\u00a0€"},
		{"en-IN", "1234567", "INR", "₹12,34,567.00"},
		{"es", "-1234.5", "EUR", "−1.234,50\u00a0€"},
		{"fr", "-1234.5", "EUR", "−1\u00a0234,50\u00a0€"},
		{"pt-IE", "1234.5", "EUR", "€1.234,50"},
		{"pt-BR", "1234.5", "BRL", "R$1.234,50"},
		{"pt-PT", "1234.5", "EUR", "1\u00a0234,50\u00a0€"},
		{"pt-AO", "1234.5", "AOA", "1\u00a0234,50\u00a0Kz"},
		{"pt-CV", "1234.5", "CVE", "1\u00a0234,50\u00a0CVE"},
		{"pt-MZ", "-1234.5", "MZN", "−1\u00a0234,50\u00a0MTn"},
		{"ar", "10.3", "EUR", "\u200f١٠٫٣٠\u00a0€"},
		{"ar", "-1234.5", "EUR", "\u200f\u061c−١٬٢٣٤٫٥٠\u00a0€"},
		{"ar-AE", "10.3", "EUR", "\u200f10.30\u00a0€"},
		{"ar-AE", "-10.3", "EUR", "\u200f\u200e−10.30\u00a0€"},
	} {
		got := in(c.tag).Amount(money.MustParse(c.value, money.Currency(c.currency)))
		require.Equal(t, c.want, got, "%s %s %s", c.tag, c.value, c.currency)
	}
}

func TestACurrencyWhoseSignATypefaceLacksHasItsCode(t *testing.T) {
	t.Parallel()
	latin := func(r rune) bool { return r < 0x100 || r == '€' }
	for _, c := range []struct{ tag, currency, want string }{
		{"en-NG", "NGN", "NGN\u00a05,000.00"},
		{"en-NG", "EUR", "€5,000.00"},
		{"en-GB", "USD", "US$5,000.00"},
		{"es-CR", "CRC", "CRC\u00a05\u00a0000,00"},
	} {
		sum := money.MustParse("5000", money.Currency(c.currency))
		require.Equal(t, c.want, in(c.tag).WithSigns(latin).Amount(sum), c.tag)
	}
	require.Equal(t, "₦5,000.00", in("en-NG").Amount(money.MustParse("5000", "NGN")), "elsewhere as ever")
}

func TestShortAmountDropsOnlyEmptyDecimals(t *testing.T) {
	t.Parallel()
	require.Equal(t, "NGN\u00a05,000", in("en-IE").ShortAmount(money.MustParse("5000", "NGN")))
	require.Equal(t, "NGN\u00a04,625.50", in("en-IE").ShortAmount(money.MustParse("4625.5", "NGN")))
}

func TestParseAmount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tag, typed, currency, want string }{
		{"en-IE", "10", "EUR", "10"},
		{"en-IE", " 10.50 ", "EUR", "10.5"},
		{"en-IE", ".5", "EUR", "0.5"},
		{"en-IE", "10.", "EUR", "10"},
		{"en-IE", "007", "EUR", "7"},
		{"en-IE", "1,000", "EUR", "1000"},
		{"en-IE", "1,234,567.89", "EUR", "1234567.89"},
		{"en-IN", "12,34,567.89", "INR", "1234567.89"},
		{"en-IE", "1.234", "KWD", "1.234"},
		{"en-IE", "500", "JPY", "500"},
		{"en-IE", "٥٠", "EUR", "50"},
		{"es", "10,50", "EUR", "10.5"},
		{"es", "1.000,50", "EUR", "1000.5"},
		{"es", "1.000", "EUR", "1000"},
		{"es", "10.50", "EUR", "10.5"}, // a number pad's point
		{"fr", "1 000,50", "EUR", "1000.5"},
		{"fr", "1\u202f000", "EUR", "1000"},
		{"ar", "١٠٫٥٠", "EUR", "10.5"},
		{"ar", "10٫5", "EUR", "10.5"},
		{"ar", "10.50", "EUR", "10.5"}, // few keyboards have ٫
		{"ar", "١٠.٥", "EUR", "10.5"},
		{"ar", "1.000", "EUR", "1000"},
		{"fr", "0.500", "TND", "0.5"}, // no group begins with 0
	} {
		got, err := in(c.tag).ParseAmount(c.typed, money.Currency(c.currency))
		require.NoError(t, err, "%s %q", c.tag, c.typed)
		require.Equal(t, money.MustParse(c.want, money.Currency(c.currency)), got, "%s %q", c.tag, c.typed)
	}
}

func TestParseAmountRefuses(t *testing.T) {
	t.Parallel()
	digits := "Enter the amount in digits, such as 10.50."
	for _, c := range []struct{ tag, typed, currency, want string }{
		{"en-IE", "", "EUR", "Enter an amount."},
		{"en-IE", "  ", "EUR", "Enter an amount."},
		{"en-IE", "0", "EUR", "The amount must be more than zero."},
		{"en-IE", "0.00", "EUR", "The amount must be more than zero."},
		{"en-IE", "-5", "EUR", "An amount cannot be negative."},
		{"en-IE", "−5", "EUR", "An amount cannot be negative."},
		{"en-IE", "1e21", "EUR", digits},
		{"en-IE", "ten", "EUR", digits},
		{"en-IE", "10,5", "EUR", digits},
		{"en-IE", "0,500", "KWD", digits},
		{"en-IE", "1,00", "EUR", digits},
		{"en-IE", "1.2.3", "EUR", digits},
		{"en-IE", ".", "EUR", digits},
		{"en-IE", "+5", "EUR", digits},
		{"en-IE", "€5", "EUR", digits},
		{"en-IE", "😀", "EUR", digits},
		{"en-IE", "\x00\xff", "EUR", digits},
		{"es", "10,5,0", "EUR", "Escribe el importe con cifras, por ejemplo 10,50."},
		{"en-IE", "10.125", "EUR", "EUR has at most 2 decimals."},
		{"en-IE", "10.5", "JPY", "JPY has no decimals. Enter a whole amount."},
		{"en-IE", "ten", "JPY", "Enter the amount in digits, such as 10."},
		{"en-IE", "12345678901", "EUR", "This amount is too large. Check it."},
	} {
		_, err := in(c.tag).ParseAmount(c.typed, money.Currency(c.currency))
		var f *fault.Error
		require.ErrorAs(t, err, &f, "%q", c.typed)
		require.Equal(t, c.want, f.Message, "%q", c.typed)
		require.Equal(t, fault.Invalid, f.Kind)
		require.Equal(t, "amount", f.Field)
	}
}

func TestParseCashTakesZero(t *testing.T) {
	t.Parallel()
	got, err := in("en-IE").ParseCash("0", "EUR")
	require.NoError(t, err)
	require.True(t, got.IsZero())
}

func TestWhatIsShownCanBeTyped(t *testing.T) {
	t.Parallel()
	tags := []string{"en-IE", "en-IN", "es", "fr", "de", "ar", "ar-EG", "pl", "fa"}
	rapid.Check(t, func(t *rapid.T) {
		l := in(rapid.SampledFrom(tags).Draw(t, "tag"))
		currency := rapid.SampledFrom([]money.Currency{"EUR", "JPY", "KWD"}).Draw(t, "currency")
		unit := int64(money.Scale)
		for range currency.Decimals() {
			unit /= 10
		}
		a := money.Of(rapid.Int64Range(0, 9_999_999).Draw(t, "minor")*unit, currency)
		got, err := l.ParseCash(l.PlainAmount(a), currency)
		require.NoError(t, err)
		require.Equal(t, a, got)
	})
}

// FuzzParseAmount: whatever is accepted is more than zero, in the currency, no
// finer than its decimals, and the same when written out and read again.
func FuzzParseAmount(f *testing.F) {
	for _, seed := range []string{"10.50", "1.000,5", "١٠٫٥", "1 000", "-1", "1e9", "", ".", "9999999999.99"} {
		f.Add(seed, "es", "EUR")
		f.Add(seed, "en-IE", "KWD")
	}
	f.Fuzz(func(t *testing.T, typed, tag, currency string) {
		parsed, err := language.Parse(tag)
		if err != nil || !money.Currency(currency).Valid() {
			return
		}
		l := locale.New(parsed, nil)
		a, err := l.ParseAmount(typed, money.Currency(currency))
		if err != nil {
			return
		}
		require.Equal(t, 1, a.Sign())
		again, err := l.ParseAmount(l.PlainAmount(a), money.Currency(currency))
		require.NoError(t, err)
		require.Equal(t, a, again)
	})
}

// TestNumberAgreesWithCLDR holds the own grouping to that of x/text, which writes a
// keyboard's hyphen for the minus.
func TestNumberAgreesWithCLDR(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"en-IE", "en-IN", "hi", "es", "es-MX", "pt-PT", "pl", "fr", "de-CH", "ar", "ar-MA", "fa", "ne", "sw", "bg"} {
		printer, l := message.NewPrinter(language.MustParse(tag)), in(tag)
		cldr := func(n int64) string { return strings.ReplaceAll(printer.Sprint(number.Decimal(n)), "-", "−") }
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.Int64().Draw(t, "n")
			require.Equal(t, cldr(n), l.Number(n), tag)
		})
		for n := int64(-12_345_678_901); n != 0; n /= 10 {
			require.Equal(t, cldr(n), l.Number(n), tag)
		}
	}
}

func TestClock(t *testing.T) {
	t.Parallel()
	dublin, err := time.LoadLocation("Europe/Dublin")
	require.NoError(t, err)
	summer := time.Date(2026, 7, 1, 23, 30, 5, 0, time.UTC)
	l := locale.New(language.MustParse("en-IE"), dublin)
	require.Equal(t, "00:30", l.Time(summer))
	require.Equal(t, "00:30:05", l.Seconds(summer))
	require.Equal(t, "2 Jul 2026", l.Date(summer))
	require.Equal(t, "2 Jul 2026, 00:30", l.DateTime(summer))
	require.Equal(t, "٢٣:٣٠", in("ar").Time(summer))
}

// TestAMomentIsToldWithItsDayUnlessThatIsToday: and each language says before a day what belongs there.
func TestAMomentIsToldWithItsDayUnlessThatIsToday(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 1, 14, 2, 0, 0, time.UTC)
	for tag, want := range map[string][4]string{
		"en": {"at 14:02", "on 1 Jul 2026, 14:02", "since 14:02", "since 1 Jul 2026, 14:02"},
		"es": {"a las 14:02", "el 1 jul 2026, 14:02", "desde las 14:02", "desde el 1 jul 2026, 14:02"},
		"fr": {"à 14:02", "le 1 juil. 2026, 14:02", "depuis 14:02", "depuis le 1 juil. 2026, 14:02"},
		"pt": {"às 14:02", "em 1 jul 2026, 14:02", "desde as 14:02", "desde 1 jul 2026, 14:02"},
	} {
		l, today, tomorrow := in(tag), at.Add(9*time.Hour), at.Add(10*time.Hour)
		got := [4]string{l.At(at, today), l.At(at, tomorrow), l.Since(at, today), l.Since(at, tomorrow)}
		require.Equal(t, want, got, tag)
	}
}

func TestGroupNumber(t *testing.T) {
	t.Parallel()
	l := in("en-IE")
	for number, want := range map[string]string{
		"+353871234567": "+353 87 123 4567",
		"353871234567":  "+353 87 123 4567",
		"2348035550142": "+234 803 555 0142",
		"45128830117":   "4512 8830 117",
		"":              "",
		"AB-99 1":       "AB-99 1",
	} {
		require.Equal(t, want, l.GroupNumber(number), number)
	}
	require.Equal(t, "4829 1550 3377", l.GroupDigits("482915503377"))
	require.Equal(t, "12-34", l.GroupDigits("12-34"))
}

func TestDirection(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]locale.Direction{"en": "ltr", "es-MX": "ltr", "ar": "rtl", "ar-EG": "rtl", "ur": "rtl", "he": "rtl"} {
		require.Equal(t, want, in(tag).Direction(), tag)
	}
	require.Equal(t, "ar-EG", in("ar-EG").Language())
}

// TestASentenceInArabicReadsFromTheRight even where a brand's Latin name begins it.
func TestASentenceInArabicReadsFromTheRight(t *testing.T) {
	t.Parallel()
	arabic := in("ar")
	for text, mark := range map[string]string{
		"Lumera: مكافأة على كل شحن": "\u2067", "مكافأة": "\u2067", "Lumera Mobile": "\u2068", "10": "\u2068",
	} {
		require.Contains(t, arabic.Text("find.none", text), mark+text+"\u2069")
	}
}

func TestParseDecimal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tag, typed, want string
		sure             bool
	}{
		{"en-IE", "1.500", "1.500", true},
		{"en-IE", "1,500", "1.500", false},
		{"en-IE", "0,92", "0.92", true},
		{"en-IE", "-1,500", "-1.500", false},
		{"en-IE", "1,234.50", "1.234.50", false}, // which is no number
		{"es", "1.500", "1.500", false},
		{"es", "0.925", "0.925", true},
		{"es", " 1,500 ", "1.500", true},
		{"es", "1.0850", "1.0850", true},
		{"ar", "١٫٥٠٠", "1.500", true},
		{"ar", "1.0850", "1.0850", true},
		{"ar", "1.500", "1.500", false},
	} {
		got, sure := in(c.tag).ParseDecimal(c.typed)
		require.Equal(t, c.want, got, "%s %q", c.tag, c.typed)
		require.Equal(t, c.sure, sure, "%s %q", c.tag, c.typed)
	}
}
