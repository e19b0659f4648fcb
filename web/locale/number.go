package locale

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"airtill/internal/money"
)

// nbsp keeps a number and its unit on one line.
const nbsp = "\u00a0"

// minus stands where CLDR writes the hyphen of a keyboard, which is so short and low
// that it runs into a currency's sign: -€10.00 beside −€10.00.
const minus = "\u2212"

// rightToLeft makes a sum read from the right, as CLDR's patterns do: digits and the sign
// of a currency have no direction of their own.
const rightToLeft = "\u200f"

// marks are the signs a locale writes numbers with.
type marks struct {
	decimal string // between whole and fraction, such as "." or ","
	minus   string // before a negative number; may carry direction marks
	group   string // between groups of whole digits
	first   int    // digits in the last group
	further int    // digits in each group before it: 2 in India, else 3
	least   int    // digits of the shortest number that is grouped
	zero    rune   // the digit 0, first of its ten
}

// marksOf learns the signs by formatting known integers: the tables of x/text
// are not open, and its formatting of fractions would go through a float.
func marksOf(p *message.Printer) marks {
	m := marks{
		decimal: strings.TrimFunc(p.Sprint(number.Decimal(1, number.Scale(1))), unicode.IsDigit),
		minus:   strings.TrimRightFunc(p.Sprint(number.Decimal(-1)), unicode.IsDigit),
	}
	m.minus = strings.ReplaceAll(m.minus, "-", minus)
	m.zero, _ = utf8.DecodeRuneInString(p.Sprint(number.Decimal(0)))
	m.group = strings.TrimFunc(p.Sprint(number.Decimal(11111)), unicode.IsDigit)
	groups := strings.Split(p.Sprint(number.Decimal(1111111111)), m.group)
	m.first = utf8.RuneCountInString(groups[len(groups)-1])
	m.further = utf8.RuneCountInString(groups[len(groups)-2])
	m.least = 5
	if strings.Contains(p.Sprint(number.Decimal(1111)), m.group) {
		m.least = 4
	}
	return m
}

// digitsOf names the numbering system of a language on its tag. x/text forgets
// it for most countries: it writes ar-EG and fa-IR with Latin digits (CLDR: the
// Maghreb, Libya and the Emirates do, the rest does not).
func digitsOf(tag language.Tag) language.Tag {
	base, _ := tag.Base()
	region, _ := tag.Region()
	system := map[string]string{"ar": "arab", "fa": "arabext"}[base.String()]
	latin := slices.Contains([]string{"AE", "DZ", "EH", "LY", "MA", "TN"}, region.String())
	if system == "" || base.String() == "ar" && latin {
		return tag
	}
	written, err := tag.SetTypeForKey("nu", system)
	if err != nil {
		return tag
	}
	return written
}

// Number returns a whole number with the locale's digits and grouping.
func (l Locale) Number(n int64) string {
	digits, negative := strings.CutPrefix(strconv.FormatInt(n, 10), "-")
	text := l.grouped(digits)
	if negative {
		text = l.marks.minus + text
	}
	return text
}

// grouped writes a run of ASCII digits with the locale's digits and grouping.
func (l Locale) grouped(digits string) string {
	var b strings.Builder
	l.group(&b, digits)
	return b.String()
}

// group is grouped into a text that is begun.
func (l Locale) group(b *strings.Builder, digits string) {
	if len(digits) < l.marks.least {
		b.WriteString(l.digits(digits))
		return
	}
	for i, digit := range digits {
		left := len(digits) - i
		if i > 0 && (left == l.marks.first || left > l.marks.first && (left-l.marks.first)%l.marks.further == 0) {
			b.WriteString(l.marks.group)
		}
		b.WriteRune(digit - '0' + l.marks.zero)
	}
}

// Amount returns a sum of money as the locale writes it, with its currency and
// with at least the currency's decimals: "€10.30", "NGN 5,000.00", "10,30 €".
// It never rounds.
func (l Locale) Amount(a money.Amount) string {
	return l.withCurrency(a, l.decimal(a, a.Currency().Decimals()))
}

// ShortAmount is Amount without the decimals of a whole sum: "NGN 5,000". It is
// for what a customer receives, never for a price.
func (l Locale) ShortAmount(a money.Amount) string {
	if a.Micros()%money.Scale == 0 {
		return l.withCurrency(a, l.decimal(a, 0))
	}
	return l.Amount(a)
}

// Share writes a part given in thousandths as a percentage with one decimal:
// 983 is "98.3%".
func (l Locale) Share(perMille int64) string {
	return l.Tenths(perMille) + "%"
}

// Tenths writes a number given in tenths with one decimal: 24 is "2.4".
func (l Locale) Tenths(n int64) string { return l.decimal(money.Of(n*money.Scale/10, ""), 1) }

// Hundredths writes the seconds of a time with two decimals, half a hundredth rounded away from zero: "0.25".
func (l Locale) Hundredths(d time.Duration) string {
	return l.decimal(money.Of(d.Round(10*time.Millisecond).Microseconds(), ""), 2)
}

// PlainAmount returns the digits of a sum without its currency, as a person
// types them into a field and as ParseAmount reads them: "1234.50", "10,30".
func (l Locale) PlainAmount(a money.Amount) string {
	whole, fraction, hasFraction := strings.Cut(a.Decimal(a.Currency().Decimals()), ".")
	if !hasFraction {
		return whole
	}
	return whole + l.marks.decimal + fraction
}

// PlainDecimal writes a number that is stored with a point as a person types it: "1.125", "1,125".
func (l Locale) PlainDecimal(stored string) string {
	return strings.Replace(stored, ".", l.marks.decimal, 1)
}

// Decimal writes a number that is stored with a point with the locale's digits and decimal mark.
func (l Locale) Decimal(stored string) string { return l.digits(l.PlainDecimal(stored)) }

// decimal writes an amount's number without its currency.
func (l Locale) decimal(a money.Amount, decimals int) string {
	unsigned, negative := strings.CutPrefix(a.Decimal(decimals), "-")
	whole, fraction, hasFraction := strings.Cut(unsigned, ".")
	var b strings.Builder
	b.Grow(2 * len(unsigned)) // with its groups
	if negative {
		b.WriteString(l.marks.minus)
	}
	l.group(&b, whole)
	if hasFraction {
		b.WriteString(l.marks.decimal)
		b.WriteString(l.digits(fraction))
	}
	return b.String()
}

// digits writes the ASCII digits in a text with the locale's own.
func (l Locale) digits(text string) string {
	if l.marks.zero == '0' {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return r
		}
		return r - '0' + l.marks.zero
	}, text)
}

// withCurrency puts the currency's sign before or after a number.
func (l Locale) withCurrency(a money.Amount, text string) string {
	sign := l.currencySign(a.Currency())
	if sign == "" {
		return text
	}
	if l.Direction() == RightToLeft {
		text = rightToLeft + text
	}
	if !l.signFirst {
		return text + nbsp + sign
	}
	before, apart := "", ""
	if last, _ := utf8.DecodeLastRuneInString(sign); unicode.IsLetter(last) {
		apart = nbsp
	}
	if rest, negative := strings.CutPrefix(text, l.marks.minus); negative {
		before, text = l.marks.minus, rest
	}
	return before + sign + apart + text
}

// WithSigns is the locale with the codes of those currencies whose sign a typeface does not have.
func (l Locale) WithSigns(has func(rune) bool) Locale {
	lacks := func(r rune) bool { return !has(r) }
	signs := new(sync.Map)
	for _, c := range money.Currencies() {
		if strings.ContainsFunc(l.currencySign(c), lacks) {
			signs.Store(c, string(c))
		}
	}
	l.signs = signs
	return l
}

// currencySign returns how the locale names a currency: a sign where it has an
// unmistakable one, else the ISO code. An unknown code is left as it is.
func (l Locale) currencySign(c money.Currency) string {
	if sign, ok := l.signs.Load(c); ok {
		return sign.(string)
	}
	sign := string(c)
	if unit, err := currency.ParseISO(sign); err == nil {
		sign = l.printer.Sprint(currency.Symbol(unit))
	}
	if !strings.ContainsFunc(sign, unicode.IsGraphic) { // of Cape Verde, which writes 20$00
		sign = string(c)
	}
	l.signs.Store(c, sign)
	return sign
}

// signFirst says whether the language writes the currency before the number
// (CLDR's standard currency pattern).
func signFirst(tag language.Tag) bool {
	base, _ := tag.Base()
	switch base.String() {
	case "en", "hi", "ja", "ko", "nl", "th", "tr", "zh", "id", "ms", "sw", "bn", "ur", "am":
		return true
	case "pt": // in Africa as in Portugal
		return tag != language.EuropeanPortuguese && tag.Parent() != language.EuropeanPortuguese
	case "es":
		return tag.Parent() == language.LatinAmericanSpanish
	}
	return false
}
