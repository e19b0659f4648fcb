package catalogue

import "strings"

// Account is what is known of an account number.
type Account struct {
	Normalized string // E.164 without +
	CountryIso string // "" when no country has such numbers
	Items      []AccountLookup
}

// Lookup finds the country of a phone number by the longest dialing prefix and
// the right length, and the providers whose expression it passes. The number
// may begin with +, 00, or the single 0 of the agent's own country.
func (c *Catalogue) Lookup(number string) Account {
	normalized, international := c.normalize(number)
	a := Account{Normalized: normalized, Items: []AccountLookup{}}
	if !international {
		return a
	}
	for n := min(7, len(normalized)); n > 0; n-- {
		d, ok := c.dialing[normalized[:n]]
		if ok && len(normalized) >= d.least && len(normalized) <= d.most {
			a.CountryIso = d.iso
			break
		}
	}
	for _, p := range c.phones[a.CountryIso] {
		if p.Accepts(normalized) {
			a.Items = append(a.Items, AccountLookup{ProviderCode: p.ProviderCode, RegionCode: p.RegionCodes[0]})
		}
	}
	return a
}

// normalize returns the digits of a number after the international prefix, and
// whether it is nothing but digits.
func (c *Catalogue) normalize(number string) (string, bool) {
	number = strings.TrimPrefix(number, "+")
	if rest, ok := strings.CutPrefix(number, "00"); ok {
		number = rest
	} else if rest, ok := strings.CutPrefix(number, "0"); ok {
		if home := c.world.byISO[c.home]; home != nil && len(home.prefixes) > 0 {
			number = home.prefixes[0] + rest
		}
	}
	return number, Digits(number)
}

// Digits says whether a text is one or more ASCII digits.
func Digits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}
