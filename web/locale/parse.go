package locale

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"airtill/internal/fault"
	"airtill/internal/money"
	"airtill/internal/phone"
)

// maxWholeDigits bounds what a person can mean by an amount at a counter; one
// digit more is a slip or an account number in the wrong field.
const maxWholeDigits = 10

// amountField is the form field the errors of this file point at.
const amountField = "amount"

var (
	plainWhole   = regexp.MustCompile(`^[0-9]*$`)
	groupedWhole = regexp.MustCompile(`^[1-9][0-9]{0,2}(?:g[0-9]{2,3})*g[0-9]{3}$`)
)

// ParseAmount reads a sum as a person types it in this locale: digits of any
// script, the locale's decimal mark, grouping in its right place. It refuses
// everything else, zero, and more decimals than the currency has, with an
// Invalid fault on the field "amount" whose message says what to type.
func (l Locale) ParseAmount(text string, c money.Currency) (money.Amount, error) {
	amount, err := l.ParseCash(text, c)
	if err == nil && amount.IsZero() {
		return money.Amount{}, l.badAmount("amount.zero")
	}
	return amount, err
}

// ParseCash is ParseAmount for counted cash, where nothing is an answer too.
func (l Locale) ParseCash(text string, c money.Currency) (money.Amount, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return money.Amount{}, l.badAmount("amount.empty")
	}
	if strings.ContainsAny(text[:1], "-") || strings.HasPrefix(text, "−") {
		return money.Amount{}, l.badAmount("amount.negative")
	}
	whole, fraction, ok := l.splitAmount(text)
	if !ok {
		example := money.Of(10_500_000, "EUR")
		if c.Decimals() == 0 {
			example = money.Of(10_000_000, c)
		}
		return money.Amount{}, l.badAmount("amount.digits", l.PlainAmount(example))
	}
	if len(fraction) > c.Decimals() {
		if c.Decimals() == 0 {
			return money.Amount{}, l.badAmount("amount.wholeOnly", c)
		}
		return money.Amount{}, l.badAmount("amount.tooFine", c, l.Number(int64(c.Decimals())))
	}
	whole = strings.TrimLeft(whole, "0")
	if len(whole) > maxWholeDigits {
		return money.Amount{}, l.badAmount("amount.tooLarge")
	}
	// Both parts are bounded runs of ASCII digits now: this cannot fail.
	return money.Parse("0"+whole+"."+fraction+"0", c)
}

// ParseCount reads a whole number as a person types it in this locale, with
// digits of any script and grouping in its right place; not ok if it is none,
// or no number of things that a person can mean.
func (l Locale) ParseCount(text string) (count int64, ok bool) {
	whole, fraction, ok := l.splitAmount(strings.TrimSpace(text))
	if !ok || fraction != "" {
		return 0, false
	}
	count, err := strconv.ParseInt(whole, 10, 32)
	return count, err == nil
}

// ParseDecimal reads a number as a person types it, and writes it with ASCII
// digits and a point. Comma and point are decimal marks in every locale; not
// sure if this one reads another number: "1,500" is fifteen hundred in English,
// and one and a half in French.
func (l Locale) ParseDecimal(text string) (decimal string, sure bool) {
	text = strings.TrimSpace(text)
	decimal = strings.Map(func(r rune) rune {
		if digit, is := phone.Digit(r); is {
			return '0' + rune(digit)
		}
		if r == ',' || r == '٫' {
			return '.'
		}
		return r
	}, text)
	_, fraction, ok := l.splitAmount(strings.TrimPrefix(text, "-"))
	_, taken, _ := strings.Cut(decimal, ".")
	return decimal, !ok || fraction == taken
}

func (l Locale) badAmount(key string, args ...any) error {
	return fault.Worded(amountField, l.Text(key, args...))
}

// splitAmount parts a typed amount into ASCII digits before and after the
// decimal mark; not ok if it is no amount in this locale.
func (l Locale) splitAmount(text string) (whole, fraction string, ok bool) {
	normal := l.normalise(text)
	whole, fraction, _ = strings.Cut(normal, "d")
	if !plainWhole.MatchString(fraction) || whole+fraction == "" {
		return "", "", false
	}
	if !plainWhole.MatchString(whole) && !groupedWhole.MatchString(whole) {
		return "", "", false
	}
	return strings.ReplaceAll(whole, "g", ""), fraction, true
}

// normalise writes digits of any script as ASCII, the decimal mark as d and
// grouping marks as g; every other sign becomes x, which no amount contains.
func (l Locale) normalise(text string) string {
	decimal := l.marks.decimal
	if keypadPoint(text) {
		decimal = "."
	}
	return strings.Map(func(r rune) rune {
		switch {
		case string(r) == decimal, r == '٫':
			return 'd'
		case strings.ContainsRune(".,'’٬", r), unicode.IsSpace(r):
			return 'g'
		}
		if digit, is := phone.Digit(r); is {
			return '0' + rune(digit)
		}
		return 'x'
	}, text)
}

// keypadPoint says whether the one mark in a text is a point for decimals, as a
// number pad types it whatever the locale. As grouping it would have three
// digits after it, and more than a 0 before it.
func keypadPoint(text string) bool {
	before, after, found := strings.Cut(text, ".")
	fine := utf8.RuneCountInString(after) <= 2 || before == "0"
	return found && fine && !strings.ContainsAny(text, ",") && !strings.ContainsFunc(after, notDigit)
}

func notDigit(r rune) bool {
	_, is := phone.Digit(r)
	return !is
}
