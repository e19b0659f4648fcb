package locale

import (
	"cmp"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

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
