package locale

import (
	"cmp"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

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

// MobileOf says "an Irish mobile" of a country (ISO 3166-1 alpha-2), and what comes
// nearest to it where the language has no such word here.
func (l Locale) MobileOf(country string) string {
	if adjective := englishAdjectives()[country]; adjective != "" && l.Speaks("en") {
		article := "a "
		if strings.ContainsRune("AEIO", rune(adjective[0])) {
			article = "an "
		}
		return article + adjective + " mobile"
	}
	return l.Text("number.mobileOf", l.Country(country, country))
}

// Country is what a country (ISO 3166-1 alpha-2) is called; otherwise where it is none.
func (l Locale) Country(iso, otherwise string) string {
	region, err := language.ParseRegion(iso)
	if err != nil {
		return otherwise
	}
	return cmp.Or(display.Regions(l.tag).Name(region), otherwise)
}

// englishAdjectives are what English calls what is of a country.
var englishAdjectives = data[map[string]string]("adjectives.toml")
