package locale

import (
	"maps"
	"slices"
	"sync"

	"golang.org/x/text/language"
)

// Named is a language that has texts of its own.
type Named struct {
	Tag       string // such as "es"
	Name      string // what its speakers call it
	Direction Direction
}

// Languages lists the languages that have texts of their own, the fallback
// first. Nobody may alter the list.
func Languages() []Named { return languages() }

var languages = sync.OnceValue(func() []Named {
	named := make([]Named, 0, len(tables()))
	for _, t := range tables() {
		named = append(named, Named{Tag: t.tag.String(), Name: t.name(), Direction: directionOf(t.tag)})
	}
	return named
})

// further are languages that have no texts here but that customers may want, by tag.
var further = data[map[string]string]("customers.toml")

// CustomerLanguages lists the languages that a receipt may be in: Languages, and those
// in which only what was bought can be said. Nobody may alter the list.
func CustomerLanguages() []Named { return customerLanguages() }

var customerLanguages = sync.OnceValue(func() []Named {
	all := slices.Clone(Languages())
	for _, tag := range slices.Sorted(maps.Keys(further())) {
		if !Speaks(tag) {
			all = append(all, Named{Tag: tag, Name: further()[tag], Direction: directionOf(language.Make(tag))})
		}
	}
	return all
})

// Speaks says whether a tag names one of Languages.
func Speaks(tag string) bool {
	return slices.ContainsFunc(tables(), func(t *table) bool { return t.tag.String() == tag })
}

// Speaks says whether this is how the texts of a locale with that tag read.
func (l Locale) Speaks(tag string) bool { return l.texts.tag.String() == tag }

// Match returns the language with texts that fits the first of some wishes that
// any fits, each a language tag or an Accept-Language header; the fallback if
// none does.
func Match(wishes ...string) language.Tag {
	for _, wish := range wishes {
		tags, _, err := language.ParseAcceptLanguage(wish)
		if err != nil || len(tags) == 0 {
			continue
		}
		if _, i, confidence := matcher().Match(tags...); confidence >= language.High {
			return tables()[i].tag
		}
	}
	return english().tag
}

// matcher is built once: it weighs all languages against each other.
var matcher = sync.OnceValue(func() language.Matcher {
	var tags []language.Tag
	for _, t := range tables() {
		tags = append(tags, t.tag)
	}
	return language.NewMatcher(tags)
})

// OfCountry returns the language with texts that is most spoken in a country
// (ISO 3166-1 alpha-2), the fallback where none is.
func OfCountry(country string) language.Tag {
	if known, is := spoken.Load(country); is {
		return known.(language.Tag) //nolint:forcetypeassert // nothing else is stored
	}
	tag, err := language.Parse("und-" + country)
	if err != nil {
		return english().tag
	}
	base, _ := tag.Base()
	found := Match(base.String())
	spoken.Store(country, found)
	return found
}

var spoken sync.Map // OfCountry of the countries there are

// At returns a language as it is written in a country (ISO 3166-1 alpha-2),
// unless the tag itself names one: Arabic has other digits in Morocco than in
// Egypt. An unknown country changes nothing.
func At(tag language.Tag, country string) language.Tag {
	if _, confidence := tag.Region(); confidence == language.Exact {
		return tag
	}
	region, err := language.ParseRegion(country)
	if err != nil {
		return tag
	}
	composed, err := language.Compose(tag, region)
	if err != nil {
		return tag
	}
	return composed
}
