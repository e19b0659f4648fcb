package locale

import (
	"strconv"
	"strings"
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

// marks are the signs a locale writes numbers with.
type marks struct {
	decimal string // between whole and fraction, such as "." or ","
	minus   string // before a negative number; may carry direction marks
	zero    rune   // the digit 0, first of its ten
}

// marksOf learns the signs by formatting known integers: the tables of x/text
// are not open, and its formatting of fractions would go through a float.
func marksOf(p *message.Printer) marks {
	zero, _ := utf8.DecodeRuneInString(p.Sprint(number.Decimal(0)))
	isDigit := func(r rune) bool { return unicode.IsDigit(r) }
	return marks{
		decimal: strings.TrimFunc(p.Sprint(number.Decimal(1, number.Scale(1))), isDigit),
		minus:   strings.TrimRightFunc(p.Sprint(number.Decimal(-1)), isDigit),
		zero:    zero,
	}
}

// Number returns a whole number with the locale's digits and grouping.
func (l Locale) Number(n int64) string { return l.printer.Sprint(number.Decimal(n)) }

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

// PlainAmount returns the digits of a sum without its currency, as a person
// types them into a field and as ParseAmount reads them: "1234.50", "10,30".
func (l Locale) PlainAmount(a money.Amount) string {
	whole, fraction, hasFraction := strings.Cut(a.Decimal(a.Currency().Decimals()), ".")
	if !hasFraction {
		return whole
	}
	return whole + l.marks.decimal + fraction
}

// decimal writes an amount's number without its currency.
func (l Locale) decimal(a money.Amount, decimals int) string {
	plain := a.Decimal(decimals)
	unsigned, negative := strings.CutPrefix(plain, "-")
	whole, fraction, hasFraction := strings.Cut(unsigned, ".")
	// money.Amount's whole part always fits: it is an int64 divided by a million.
	units, _ := strconv.ParseInt(whole, 10, 64)
	text := l.Number(units)
	if hasFraction {
		text += l.marks.decimal + l.digits(fraction)
	}
	if negative {
		text = l.marks.minus + text
	}
	return text
}

// digits writes the ASCII digits in a text with the locale's own.
func (l Locale) digits(text string) string {
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
	if !l.signFirst() {
		return text + nbsp + sign
	}
	if last, _ := utf8.DecodeLastRuneInString(sign); unicode.IsLetter(last) {
		sign += nbsp
	}
	if rest, negative := strings.CutPrefix(text, l.marks.minus); negative {
		return l.marks.minus + sign + rest
	}
	return sign + text
}

// currencySign returns how the locale names a currency: a sign where it has an
// unmistakable one, else the ISO code. An unknown code is kept as it is.
func (l Locale) currencySign(c money.Currency) string {
	unit, err := currency.ParseISO(string(c))
	if err != nil {
		return string(c)
	}
	return l.printer.Sprint(currency.Symbol(unit))
}

// signFirst says whether the language writes the currency before the number
// (CLDR's standard currency pattern).
func (l Locale) signFirst() bool {
	base, _ := l.tag.Base()
	region, _ := l.tag.Region()
	switch base.String() {
	case "en", "hi", "ja", "ko", "nl", "pt", "th", "tr", "zh", "id", "ms", "sw", "bn", "ur", "am":
		return l.tag != language.EuropeanPortuguese
	case "es":
		return region.String() != "ES"
	}
	return false
}
