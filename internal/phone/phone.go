// Package phone reads telephone numbers by the numbering plans of all countries, and their digits in any script. A
// page asks about the same number several times, and so do the pages of a sale, so those read last are remembered.
package phone

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/nyaruka/phonenumbers"
)

// Number is a telephone number that some country has. It is shared: nobody may alter it.
type Number struct {
	Digits  string // E.164, without its "+"
	Country string // ISO code
	Grouped string // as its country reads it: "+353 87 123 4567"

	plan *phonenumbers.PhoneNumber
}

// Find reads a number of digits, as dialled in a country (ISO code), or of any country with a "+" before it. It
// says whether there is such a number.
func Find(text, country string) (*Number, bool) {
	asked := question{text, country}
	if known, is := lately.get(asked); is {
		return known, known != nil
	}
	number := find(text, country)
	lately.put(asked, number)
	if number != nil {
		lately.put(question{"+" + number.Digits, ""}, number)
	}
	return number, number != nil
}

type question struct{ text, country string }

// answers are those given lately. nil means that there is no such number.
type answers struct {
	mu   sync.Mutex
	held map[question]*Number
}

var lately answers

const mostHeld = 4096 // some 2 MB; emptied when full

func (a *answers) get(asked question) (number *Number, known bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	number, known = a.held[asked]
	return number, known
}

func (a *answers) put(asked question, number *Number) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held == nil || len(a.held) >= mostHeld {
		a.held = map[question]*Number{}
	}
	a.held[asked] = number
}

func find(text, country string) *Number {
	plan, err := phonenumbers.Parse(text, country)
	if err == nil && !phonenumbers.IsValidNumber(plan) {
		plan, err = withoutFormerPrefix(plan)
	}
	if err != nil || !phonenumbers.IsValidNumber(plan) {
		return nil
	}
	return &Number{
		Digits:  strings.TrimPrefix(phonenumbers.Format(plan, phonenumbers.E164), "+"),
		Country: phonenumbers.GetRegionCodeForNumber(plan),
		Grouped: phonenumbers.Format(plan, phonenumbers.INTERNATIONAL),
		plan:    plan,
	}
}

// mexico is the prefix of its numbers.
const mexico = 52

// formerMexican is a number of Mexico as it was until 2019: 1 came first for who dialled from abroad, at home 044, 045
// or 01.
var formerMexican = regexp.MustCompile(`^(?:1|044|045|01)([0-9]{10})$`)

// withoutFormerPrefix reads a number that no plan has by the plan it was written down by: contacts and messengers have
// such numbers for years.
func withoutFormerPrefix(plan *phonenumbers.PhoneNumber) (*phonenumbers.PhoneNumber, error) {
	former := formerMexican.FindStringSubmatch(phonenumbers.GetNationalSignificantNumber(plan))
	if plan.GetCountryCode() != mexico || former == nil {
		return plan, nil
	}
	return phonenumbers.Parse(former[1], "MX")
}

// National is the number as it is dialled in its own country, grouped.
func (n *Number) National() string { return phonenumbers.Format(n.plan, phonenumbers.NATIONAL) }

// Mobile says whether the number may be a mobile's.
func (n *Number) Mobile() bool {
	kind := phonenumbers.GetNumberType(n.plan)
	return kind == phonenumbers.MOBILE || kind == phonenumbers.FIXED_LINE_OR_MOBILE
}

// CountryOf returns the only country (ISO code) whose prefix begins an international number of digits, whether
// there is such a number or not; "" if there is none, or several share it.
func CountryOf(digits string) string {
	plan, err := phonenumbers.Parse("+"+digits, "")
	if err != nil {
		return ""
	}
	if all := phonenumbers.GetRegionCodesForCountryCode(int(plan.GetCountryCode())); len(all) == 1 {
		return all[0]
	}
	return ""
}

// Digit reads a decimal digit of any script. Unicode places the ten digits of a script together, zero
// first.
func Digit(r rune) (byte, bool) {
	if r >= '0' && r <= '9' {
		return byte(r - '0'), true
	}
	if r < unicode.MaxLatin1 {
		return 0, false
	}
	for _, script := range unicode.Nd.R16 {
		if low := rune(script.Lo); r >= low && r <= rune(script.Hi) {
			return byte((r - low) % 10), true
		}
	}
	for _, script := range unicode.Nd.R32 {
		if low := rune(script.Lo); r >= low && r <= rune(script.Hi) {
			return byte((r - low) % 10), true
		}
	}
	return 0, false
}

// Digits returns the decimal digits of a text, of whatever script, as 0 to 9, and nothing else of it.
func Digits(text string) string {
	return strings.Map(func(r rune) rune {
		if value, is := Digit(r); is {
			return '0' + rune(value)
		}
		return -1
	}, text)
}
