// Package locale says things the way a person at a counter writes and reads
// them: texts in their language, amounts, numbers, dates and account numbers
// in the form of their region, times in their shop's zone.
package locale

import (
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Direction is the writing direction of a language, as HTML's dir attribute
// names it.
type Direction string

// The two writing directions.
const (
	LeftToRight Direction = "ltr"
	RightToLeft Direction = "rtl"
)

// Locale is one person's way of reading: a language with its region and a
// time zone. It is immutable and may be copied and shared. The zero Locale is
// not usable; make one with New.
type Locale struct {
	tag     language.Tag
	zone    *time.Location
	texts   table
	printer *message.Printer
	marks   marks
	signs   *sync.Map // money.Currency → its sign, once it was looked up

	direction Direction
	signFirst bool // a currency's sign stands before the number
}

// known are the locales made so far, in UTC, by tag: it takes long to learn how one writes numbers. There are no
// more than languages of the till and countries of its shops.
var known sync.Map

// New returns the locale of a language tag, such as en-IE or ar, in a time
// zone. A language without texts of its own reads English, with the numbers of
// its own region. A nil zone is UTC.
func New(tag language.Tag, zone *time.Location) Locale {
	if zone == nil {
		zone = time.UTC
	}
	if l, ok := known.Load(tag); ok {
		return l.(Locale).In(zone) //nolint:forcetypeassert // nothing else is in it
	}
	printer := message.NewPrinter(digitsOf(tag))
	l := Locale{
		tag: tag, texts: textsFor(tag), printer: printer, marks: marksOf(printer), signs: new(sync.Map),
		direction: directionOf(tag), signFirst: signFirst(tag),
	}
	known.Store(tag, l)
	return l.In(zone)
}

// In returns the same locale in another time zone.
func (l Locale) In(zone *time.Location) Locale {
	l.zone = zone
	return l
}

// Language returns the language tag, as HTML's lang attribute wants it.
func (l Locale) Language() string { return l.tag.String() }

// Zone returns the time zone in which times are shown.
func (l Locale) Zone() *time.Location { return l.zone }

// Direction returns the writing direction of the language's script.
func (l Locale) Direction() Direction { return l.direction }

func directionOf(tag language.Tag) Direction {
	script, _ := tag.Script()
	switch script.String() {
	case "Arab", "Hebr", "Thaa", "Syrc", "Nkoo", "Adlm":
		return RightToLeft
	}
	return LeftToRight
}

// Text returns the message of a key, with args filled into its fmt verbs. A
// message the language lacks is taken from English. A key that no table has is
// returned itself, so that a slip shows on the screen instead of hiding; a test
// proves that no key used anywhere is missing.
func (l Locale) Text(key string, args ...any) string {
	text, ok := l.message(key)
	if !ok {
		return key
	}
	return l.fill(text, args...)
}

// fill puts arguments into a message, set apart where the script runs the other way.
func (l Locale) fill(text string, args ...any) string {
	if l.Direction() == RightToLeft {
		args = isolated(args)
	}
	return filled(text, args)
}

// message is the language's own text of a key, else the English one.
func (l Locale) message(key string) (string, bool) {
	text, ok := l.texts.text[key]
	if !ok {
		text, ok = english().text[key]
	}
	return text, ok
}

// DirectionOf is the direction of a text from outside. Unlike dir="auto", it is not fooled
// by a Latin brand name at the head of an Arabic sentence.
func DirectionOf(text string) Direction {
	for _, r := range text {
		if unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Thaana, unicode.Syriac) && unicode.IsLetter(r) {
			return RightToLeft
		}
	}
	return LeftToRight
}

// isolated sets texts apart from the direction of the sentence around them, so
// that a name or an amount keeps its own order within it (Unicode's isolates).
func isolated(args []any) []any {
	apart := make([]any, len(args))
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			mark := "\u2068" // by its first strong letter
			if DirectionOf(text) == RightToLeft {
				mark = "\u2067"
			}
			arg = mark + text + "\u2069"
		}
		apart[i] = arg
	}
	return apart
}

// Count returns the message that speaks of n things, in the plural form which
// the language has for n. The number, written the locale's way, fills the
// message's first verb; a form that says the number in words, as Arabic does for
// one and two, has none.
func (l Locale) Count(key string, n int) string {
	form := plural.Cardinal.MatchPlural(l.tag, max(n, -n), 0, 0, 0, 0) // it panics below zero
	text := l.texts.forms[key][form]
	if text == "" {
		var ok bool
		if text, ok = l.message(key); !ok {
			return key
		}
	}
	if !strings.Contains(text, "%") {
		return text
	}
	return l.fill(text, l.Number(int64(n)))
}
