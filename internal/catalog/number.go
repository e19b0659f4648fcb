package catalog

import (
	"strings"
	"unicode"

	"github.com/nyaruka/phonenumbers"

	"airtill/internal/fault"
)

// Number is what a cashier typed into the one field: the number of a phone, or
// an account number of another kind, such as a meter's.
type Number struct {
	Digits  string // what the upstream is told: digits only, with the country's prefix if it is a phone
	Country string // ISO code of a phone's country; "" if it is no phone or none can tell
	Home    string // the shop's country
	Typed   string // the digits as they were typed, without a "+"
	Phone   bool   // it is a whole phone number of some country
	Prefix  bool   // a "+" or "00" said so; else it may be an account of the shop's country
}

// The lengths of account numbers, in digits.
const (
	minNumberDigits = 5
	maxNumberDigits = 24
)

// ParseNumber reads an account number as people type and paste it, in a shop of
// a country (ISO code): with "+", "00" or a national prefix, in any script's
// digits, with spaces, dots, dashes, brackets and "tel:". Errors are faults of
// kind Invalid on the field "number" and say what to do.
func ParseNumber(text, country string) (Number, error) {
	digits, international, err := scanNumber(text)
	if err != nil {
		return Number{}, err
	}
	n := Number{Digits: digits, Typed: digits, Home: strings.ToUpper(country)}
	if international {
		return n.asInternational(digits), nil
	}
	// The shop's country first: the same digits may be a number of several.
	for _, try := range []struct{ text, country string }{
		{digits, n.Home}, {"+" + digits, ""}, {"+" + strings.TrimPrefix(digits, "00"), ""},
	} {
		if phone, ok := validPhone(try.text, try.country); ok {
			n.Prefix = strings.HasPrefix(digits, "00")
			return n.asPhone(phone), nil
		}
	}
	return n, nil
}

// asAccount reads the digits as they were typed, as a number of another kind.
func (n Number) asAccount() Number { return Number{Digits: n.Typed, Typed: n.Typed, Home: n.Home} }

// asInternational believes a "+" even where the numbering plan known here does
// not: operators get new ranges every month.
func (n Number) asInternational(digits string) Number {
	n.Phone, n.Prefix = true, true
	if phone, ok := validPhone("+"+digits, ""); ok {
		return n.asPhone(phone)
	}
	if phone, err := phonenumbers.Parse("+"+digits, ""); err == nil {
		if regions := phonenumbers.GetRegionCodesForCountryCode(int(phone.GetCountryCode())); len(regions) == 1 {
			n.Country = regions[0]
		}
	}
	return n
}

func (n Number) asPhone(phone *phonenumbers.PhoneNumber) Number {
	n.Digits = strings.TrimPrefix(phonenumbers.Format(phone, phonenumbers.E164), "+")
	n.Country = phonenumbers.GetRegionCodeForNumber(phone)
	n.Phone = true
	return n
}

func validPhone(text, country string) (*phonenumbers.PhoneNumber, bool) {
	phone, err := phonenumbers.Parse(text, country)
	return phone, err == nil && phonenumbers.IsValidNumber(phone)
}

// Forms returns the digit strings under which a provider may know the number,
// the likeliest first.
func (n Number) Forms() []string {
	if n.Digits == n.Typed {
		return []string{n.Digits}
	}
	return []string{n.Digits, n.Typed}
}

// Masked returns the number for a log or a shop's copy: the last three digits.
func (n Number) Masked() string {
	const shown = 3
	if len(n.Digits) <= shown {
		return strings.Repeat("•", len(n.Digits))
	}
	return strings.Repeat("•", len(n.Digits)-shown) + n.Digits[len(n.Digits)-shown:]
}

// scanNumber takes the digits out of what was typed, and says whether a "+"
// stood before them.
func scanNumber(text string) (digits string, international bool, err error) {
	text = trimScheme(text)
	var b strings.Builder
	for _, r := range text {
		switch value, isDigit := digitValue(r); {
		case isDigit:
			b.WriteByte('0' + value)
		case (r == '+' || r == '＋') && b.Len() == 0:
			international = true
		case unicode.IsLetter(r):
			return "", false, numberFault("An account number has digits only. Remove the letters, or search for the customer by name.")
		case !isFiller(r):
			return "", false, numberFault("An account number has digits only. Remove the other signs.")
		}
	}
	digits = b.String()
	switch {
	case strings.TrimFunc(text, isFiller) == "":
		return "", false, numberFault("Enter the account number, then press Enter.")
	case len(digits) < minNumberDigits:
		return "", false, numberFault("This number is too short. Enter all its digits.")
	case len(digits) > maxNumberDigits:
		return "", false, numberFault("This number is too long. Enter one number of at most %d digits.", maxNumberDigits)
	}
	return digits, international, nil
}

func numberFault(format string, args ...any) error { return fault.OnField("number", format, args...) }

func trimScheme(text string) string {
	text = strings.TrimSpace(text)
	const scheme = "tel:"
	if len(text) >= len(scheme) && strings.EqualFold(text[:len(scheme)], scheme) {
		text, _, _ = strings.Cut(text[len(scheme):], ";") // parameters such as ;ext= follow
	}
	return text
}

// digitValue reads a decimal digit of any script. Unicode keeps the ten digits
// of a script together, zero first.
func digitValue(r rune) (byte, bool) {
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

// isFiller says whether a sign only groups digits or is not even seen: spaces
// of all kinds, dashes, dots, brackets, slashes, direction marks.
func isFiller(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.Zs, unicode.Pd, unicode.Cf) ||
		strings.ContainsRune(".,()[]/\\_'·•", r) || r == '\u2212'
}

// digitsOf keeps the ASCII digits of a text.
func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}
