package catalog

import (
	"slices"
	"strings"
	"unicode"

	"airtill/internal/fault"
	"airtill/internal/phone"
)

// Number is what a cashier typed into the one field: a phone's number, or an account number of another kind,
// such as a meter's.
type Number struct {
	// as sent upstream: digits only, with the country's prefix for a phone; in capitals if it has letters
	Digits  string
	Country string // ISO code of a phone's country; "" if not a phone or undecidable
	Home    string // the shop's country
	Typed   string // the digits as they were typed, without a "+"
	// another way a provider may write it: with its hyphens, or without them if it has letters
	Other  string
	Phone  bool // it is a whole phone number of some country
	Prefix bool // by "+" or "00"; otherwise it may be an account of the shop's country
}

// The lengths of account numbers, in digits and letters.
const (
	minNumberDigits = 5
	maxNumberDigits = 24
)

// ParseNumber reads an account number as people type and paste it, in a shop of a country (ISO code): with
// "+", "00" or a national prefix, in any script's digits, with spaces, dots, dashes, brackets and "tel:". Some
// providers' numbers contain letters. Errors are faults of kind Invalid on the field "number" and say what to
// do.
func ParseNumber(text, country string) (Number, error) {
	seen, err := scanNumber(text)
	if err != nil {
		return Number{}, err
	}
	n := Number{Digits: seen.signs, Typed: seen.signs, Other: seen.hyphened, Home: strings.ToUpper(country)}
	if seen.letters {
		n.Digits, n.Typed, n.Other = strings.ToUpper(seen.hyphened), seen.hyphened, strings.ToUpper(seen.signs)
		return n, nil
	}
	digits := seen.signs
	if seen.international {
		return n.asInternational(digits), nil
	}
	// The shop's country first: the same digits may be a number in several.
	for _, try := range []struct{ text, country string }{
		{digits, n.Home}, {"+" + digits, ""}, {"+" + strings.TrimPrefix(digits, "00"), ""},
	} {
		if found, ok := phone.Find(try.text, try.country); ok {
			n.Prefix = strings.HasPrefix(digits, "00")
			return n.asPhone(found), nil
		}
	}
	return n, nil
}

// asAccount reads the digits as typed, as a number of another kind.
func (n Number) asAccount() Number {
	if n.lettered() {
		return n
	}
	return Number{Digits: n.Typed, Typed: n.Typed, Other: n.Other, Home: n.Home}
}

// foreign says that the digits are a phone's number only in another country, and that nobody dials them so at home:
// neither a "+" was typed nor what stands for it there, such as 011, and the two countries share no code.
func (n Number) foreign() bool {
	_, dialled := phone.Find(n.Typed, n.Home)
	return n.Phone && !n.Prefix && n.Country != n.Home && !dialled
}

// lettered says whether the number has letters.
func (n Number) lettered() bool { return strings.ContainsFunc(n.Digits, unicode.IsLetter) }

// Length is how many digits the mobile number that was probably meant has.
type Length struct {
	Country   string // ISO code
	Want, Has int    // digits as typed
}

// slip says that the number has one digit too many or too few for a mobile, in the shop's country or, with a
// "+", in its own. It is nil for every number that exists.
func (n Number) slip() *Length {
	text, country := n.Typed, n.Home
	if n.Prefix {
		text, country = "+"+strings.TrimPrefix(n.Typed, "00"), ""
	}
	if _, exists := phone.Find(text, country); exists || n.lettered() {
		return nil
	}
	has := len(n.Typed)
	if iso, is := mobileOf(text[:len(text)-1], country); is {
		return &Length{Country: iso, Want: has - 1, Has: has}
	}
	for _, last := range "0123456789" {
		if iso, is := mobileOf(text+string(last), country); is {
			return &Length{Country: iso, Want: has + 1, Has: has}
		}
	}
	return nil
}

// mobileOf returns the country of a mobile's number.
func mobileOf(text, country string) (iso string, is bool) {
	found, ok := phone.Find(text, country)
	if !ok {
		return "", false
	}
	return found.Country, found.Mobile()
}

// asInternational believes a "+" even if the numbering plan known here does not: operators get new ranges
// every month.
func (n Number) asInternational(digits string) Number {
	n.Phone, n.Prefix = true, true
	if found, ok := phone.Find("+"+digits, ""); ok {
		return n.asPhone(found)
	}
	n.Country = phone.CountryOf(digits)
	return n
}

func (n Number) asPhone(found *phone.Number) Number {
	n.Digits, n.Country, n.Phone = found.Digits, found.Country, true
	return n
}

// Forms returns the forms in which a provider may know the number, the likeliest first.
func (n Number) Forms() []string {
	var forms []string
	for _, form := range []string{n.Digits, n.Typed, n.Other} {
		if form != "" && !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return forms
}

// National is the number of a phone as it is dialled in its own country, "" where that is
// not known.
func (n Number) National() string {
	found, ok := phone.Find("+"+n.Digits, "")
	if !n.Phone || !ok {
		return ""
	}
	return phone.Digits(found.National())
}

// scanned is what a typed text contains.
type scanned struct {
	signs         string // its digits and letters
	hyphened      string // the same with the hyphens between them
	international bool   // a "+" stood before them
	letters       bool
}

func scanNumber(text string) (scanned, error) {
	text = trimScheme(text)
	var seen scanned
	var signs, hyphened strings.Builder
	digits := 0
	for _, r := range text {
		switch value, isDigit := phone.Digit(r); {
		case isDigit:
			digits++
			signs.WriteByte('0' + value)
			hyphened.WriteByte('0' + value)
		case r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z':
			seen.letters = true
			signs.WriteRune(r)
			hyphened.WriteRune(r)
		case unicode.IsLetter(r):
			return seen, errLetters
		case (r == '+' || r == '＋') && signs.Len() == 0:
			seen.international = true
		case isHyphen(r):
			hyphened.WriteByte('-')
		case !isFiller(r):
			return seen, numberFault("number.signs")
		}
	}
	seen.signs, seen.hyphened = signs.String(), strings.Trim(hyphened.String(), "-")
	switch {
	case strings.TrimFunc(text, isFiller) == "":
		return seen, numberFault("number.empty")
	case seen.letters && (digits == 0 || seen.international):
		return seen, errLetters
	case len(seen.signs) < minNumberDigits:
		return seen, numberFault("number.too-short")
	case len(seen.signs) > maxNumberDigits:
		return seen, numberFault("number.too-long", maxNumberDigits)
	}
	return seen, nil
}

// errLetters refuses letters in a number where no provider's has any.
var errLetters = numberFault("number.letters")

func numberFault(code string, args ...any) error { return fault.OnField("number", code, args...) }

func trimScheme(text string) string {
	text = strings.TrimSpace(text)
	const scheme = "tel:"
	if len(text) >= len(scheme) && strings.EqualFold(text[:len(scheme)], scheme) {
		text, _, _ = strings.Cut(text[len(scheme):], ";") // parameters such as ;ext= follow
	}
	return text
}

// isFiller says whether a character only groups digits or is invisible: spaces of all kinds, dashes, dots,
// brackets, slashes, direction marks.
func isFiller(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.Zs, unicode.Cf) || isHyphen(r) ||
		strings.ContainsRune(".,()[]/\\_'·•", r)
}

func isHyphen(r rune) bool { return unicode.Is(unicode.Pd, r) || r == '\u2212' }
