package locale

import (
	"strings"

	"airtill/internal/phone"
)

// GroupNumber writes an E.164 number, with or without its plus sign, in the
// groups its country reads: "+353 87 123 4567". A number that no country has,
// a meter's for instance, comes in groups of four as GroupDigits writes them.
func (l Locale) GroupNumber(e164 string) string {
	if number, is := phone.Find("+"+strings.TrimPrefix(e164, "+"), ""); is {
		return number.Grouped
	}
	return l.GroupDigits(e164)
}

// GroupDigits writes a PIN or a meter number in groups of four, to be read out
// loud. Text that is already parted by spaces or dashes is left as it is.
func (l Locale) GroupDigits(text string) string {
	if strings.ContainsAny(text, " -") {
		return text
	}
	var b strings.Builder
	for i, r := range []rune(text) {
		if i > 0 && i%4 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}
