package catalog

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"airtill/internal/fault"
	"airtill/internal/phone"
)

// Setting is a value the provider asks for (FACTS.md, SettingDefinition).
type Setting struct {
	Name        string // goes verbatim into SendTransfer
	Description string // the label of the field
	Mandatory   bool
}

// maxSetting is the longest value, in characters. The interface names no limit; no meter, policy or name is
// longer.
const maxSetting = 200

// Rule is what a setting's name or description says of its values. The zero Rule: nothing.
type Rule struct {
	Kind      RuleKind
	Low, High int64  // of a number, or how many digits; High 0: unbounded
	Pattern   string // a regular expression, or a date such as DD/MM/YYYY
}

// RuleKind is the kind of a Rule.
type RuleKind string

// The kinds of rules.
const (
	NoRule      RuleKind = ""
	NumberRule  RuleKind = "number" // a whole one
	DigitsRule  RuleKind = "digits"
	DateRule    RuleKind = "date"
	PatternRule RuleKind = "pattern"
)

// Where texts state rules: "^[A-Z]{3}$", "DD/MM/YYYY", "11 digits", "(1-12)", "at most 12", "how many".
// Lengths in characters are not numbers.
var (
	patternIn = regexp.MustCompile(`\^\S+\$`)
	dateIn    = regexp.MustCompile(`\b(?:DD[-/.]MM[-/.]YYYY|MM[-/.]DD[-/.]YYYY|YYYY[-/.]MM[-/.]DD)\b`)
	digitsIn  = regexp.MustCompile(`(?i)\b(\d{1,2})(?:\s*(?:-|–|to|or)\s*(\d{1,2}))?[\s-]*digits?\b`)
	lengthIn  = regexp.MustCompile(`(?i)\d[\s-]*(?:characters?|letters?|signs?)\b`)
	rangeIn   = regexp.MustCompile(
		`(?i)(?:^|[^\w.,-])(\d{1,9})\s*(?:-|–|to|and)\s*(\d{1,9})(?:$|[^\w.,-]|[.,](?:\s|$))`,
	)
	mostIn  = regexp.MustCompile(`(?i)\b(?:max(?:imum)?|at most|up to)[.:]?\s*(\d{1,9})\b`)
	countIn = regexp.MustCompile(`(?i)\bhow many\b|\bquantity\b|\bnumber of \w+s\b`)
)

// Rule returns what the texts of the setting say of its values.
func (s Setting) Rule() Rule {
	text := s.Name + " " + s.Description
	if pattern := patternIn.FindString(text); compile(pattern) != nil {
		return Rule{Kind: PatternRule, Pattern: pattern}
	}
	if date := dateIn.FindString(text); date != "" {
		return Rule{Kind: DateRule, Pattern: date}
	}
	if low, high, ok := bounds(digitsIn.FindStringSubmatch(text)); ok && low <= high && high > 0 {
		return Rule{Kind: DigitsRule, Low: low, High: high}
	}
	if lengthIn.MatchString(text) {
		return Rule{}
	}
	if low, high, ok := bounds(rangeIn.FindStringSubmatch(text)); ok && low < high {
		return Rule{Kind: NumberRule, Low: low, High: high}
	}
	if _, most, ok := bounds(mostIn.FindStringSubmatch(text)); ok {
		return Rule{Kind: NumberRule, Low: 1, High: most}
	}
	if countIn.MatchString(text) {
		return Rule{Kind: NumberRule, Low: 1}
	}
	return Rule{}
}

// bounds reads the one or two numbers of a match.
func bounds(match []string) (low, high int64, ok bool) {
	if match == nil {
		return 0, 0, false
	}
	low, err := strconv.ParseInt(match[1], 10, 64)
	high = low
	if len(match) > 2 && match[2] != "" {
		high, _ = strconv.ParseInt(match[2], 10, 64) // digits, few enough
	}
	return low, high, err == nil
}

// Clean returns a typed value as it is sent: numbers and dates with ASCII digits, whatever the script.
func (s Setting) Clean(value string) string {
	value = strings.TrimSpace(value)
	if kind := s.Rule().Kind; kind == NoRule || kind == PatternRule {
		return value
	}
	return strings.Map(func(r rune) rune {
		if digit, is := phone.Digit(r); is {
			return rune('0' + digit)
		}
		return r
	}, value)
}

// Check says what is wrong with a value, as a fault of kind Invalid on the field
// "setting:" and its name.
func (s Setting) Check(value string) error {
	field := "setting:" + s.Name
	switch {
	case s.Mandatory && value == "":
		return fault.OnField(field, "setting.missing")
	case value == "":
		return nil
	case utf8.RuneCountInString(value) > maxSetting:
		return fault.OnField(field, "setting.too-long", maxSetting)
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		return fault.OnField(field, "setting.characters")
	case !s.Rule().allows(value):
		return s.Wants()
	}
	return nil
}

func (r Rule) allows(value string) bool {
	switch digits := strings.Trim(value, "0123456789") == ""; r.Kind {
	case NumberRule:
		number, err := strconv.ParseInt(value, 10, 64)
		return digits && err == nil && number >= r.Low && (r.High == 0 || number <= r.High)
	case DigitsRule:
		return digits && int64(len(value)) >= r.Low && int64(len(value)) <= r.High
	case DateRule:
		_, err := time.Parse(strings.NewReplacer("DD", "02", "MM", "01", "YYYY", "2006").Replace(r.Pattern), value)
		return err == nil
	case PatternRule:
		pattern := compile(r.Pattern)
		return pattern == nil || pattern.MatchString(value)
	case NoRule:
	}
	return true
}

// Wants says what the setting's values have to be, nil if unknown.
func (s Setting) Wants() error {
	field, rule := "setting:"+s.Name, s.Rule()
	switch {
	case rule.Kind == NumberRule && rule.High == 0:
		return fault.OnField(field, "setting.whole")
	case rule.Kind == NumberRule:
		return fault.OnField(field, "setting.range", rule.Low, rule.High)
	case rule.Kind == DigitsRule && rule.Low == rule.High:
		return fault.OnField(field, "setting.digits", rule.Low)
	case rule.Kind == DigitsRule:
		return fault.OnField(field, "setting.digits-range", rule.Low, rule.High)
	case rule.Kind == DateRule:
		return fault.OnField(field, "setting.date", rule.Pattern)
	case rule.Kind == PatternRule:
		return fault.OnField(field, "setting.form", rule.Pattern)
	}
	return nil
}

// numberWords ask for the account number again, phoneWords for a phone's; not for those of somebody or
// something else.
var (
	numberWords = regexp.MustCompile(
		`(?i)\b(?:meter|account|customer|subscriber|contract|policy|decoder|smart ?card) ?(?:number|no|nr|id|№)\b`,
	)
	phoneWords = regexp.MustCompile(`(?i)\b(?:phone|mobile|msisdn) ?(?:number|no|nr)?\b`)
	otherWords = regexp.MustCompile(`(?i)\b(?:alternat\w*|contact|second|other|agent|old|previous)\b`)
	camel      = regexp.MustCompile(`([a-z])([A-Z])|([A-Z])([A-Z][a-z])`)
)

// Repeats says whether the setting asks for the account number once more, given whether the provider's numbers
// are phones'.
func (s Setting) Repeats(phones bool) bool {
	text := strings.ReplaceAll(s.spelled(), "_", " ") + " | " + s.Description
	words := numberWords
	if phones {
		words = phoneWords
	}
	return words.MatchString(text) && !otherWords.MatchString(text) && !s.Secret()
}

// spelled is the name with its words apart where capitals join them.
func (s Setting) spelled() string { return camel.ReplaceAllString(s.Name, "$1$3 $2$4") }

// secretWords are in the names of settings whose values must not be seen or
// remembered.
var secretWords = []string{
	"password", "passcode", "passphrase", "passwd", "secret", "otp", "one time", "cvv", "cvc", "pin", "contraseña",
	"clave", "mot de passe", "كلمة",
}

// Secret says whether the value is for nobody else to see: it is not shown, and never offered again. It goes
// by the words, since the interface marks no secrets.
func (s Setting) Secret() bool {
	words := strings.FieldsFunc(strings.ToLower(s.spelled()+" "+s.Description), func(r rune) bool {
		return !unicode.IsLetter(r)
	})
	text := strings.Join(words, " ")
	for _, secret := range secretWords {
		if len(secret) > 4 && strings.Contains(text, secret) || slices.Contains(words, secret) {
			return true
		}
	}
	return false
}
