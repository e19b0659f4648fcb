package catalog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/fault"
)

func TestASettingsTextsSayWhatItsValuesAre(t *testing.T) {
	t.Parallel()
	for text, c := range map[string]struct {
		rule         catalog.Rule
		right, wrong string
	}{
		"Months (1-12)|How many months to pay for":      {catalog.Rule{Kind: catalog.NumberRule, Low: 1, High: 12}, "1 12 007 ٣", "0 13 abc 1.5 -1 1e1 99999999999999999999"},
		"Units|From 5 to 50 units.":                     {catalog.Rule{Kind: catalog.NumberRule, Low: 5, High: 50}, "5 50", "4 51"},
		"Amount|between 10 and 500":                     {catalog.Rule{Kind: catalog.NumberRule, Low: 10, High: 500}, "10", "9"},
		"Months|at most 6":                              {catalog.Rule{Kind: catalog.NumberRule, Low: 1, High: 6}, "6", "0 7"},
		"Weeks|How many weeks to pay for":               {catalog.Rule{Kind: catalog.NumberRule, Low: 1}, "1 999", "0 x"},
		"Persons|Number of persons":                     {catalog.Rule{Kind: catalog.NumberRule, Low: 1}, "4", "four"},
		"MeterId|11 digits, on the meter":               {catalog.Rule{Kind: catalog.DigitsRule, Low: 11, High: 11}, "12345678901 ٠١٢٣٤٥٦٧٨٩٠", "1234567890 123456789012 1234567890a"},
		"Card|The 10-12 digit number":                   {catalog.Rule{Kind: catalog.DigitsRule, Low: 10, High: 12}, "1234567890 123456789012", "123456789"},
		"Born|Date of birth, DD/MM/YYYY":                {catalog.Rule{Kind: catalog.DateRule, Pattern: "DD/MM/YYYY"}, "31/12/1999", "31/02/1999 1999-12-31 x"},
		"Code|Must be like ^[A-Z]{2}[0-9]{3}$":          {catalog.Rule{Kind: catalog.PatternRule, Pattern: "^[A-Z]{2}[0-9]{3}$"}, "AB123", "ab123 AB12"},
		"MeterId|Meter number as printed on the meter":  {catalog.Rule{}, "12 AB-3", ""},
		"Holder's name|Name of the account's holder":    {catalog.Rule{}, "M.Popescu", ""},
		"Reference|6-8 characters":                      {catalog.Rule{}, "AB12CD", ""},
		"Policy|As in ISO 3166-1, form 2024-1-12, v1.2": {catalog.Rule{}, "x", ""},
		"Bad|^[a-$": {catalog.Rule{}, "x", ""},
	} {
		name, description, _ := strings.Cut(text, "|")
		s := catalog.Setting{Name: name, Description: description}
		require.Equal(t, c.rule, s.Rule(), text)
		require.NoError(t, s.Check(""), "it is not mandatory")
		for value := range strings.FieldsSeq(c.right) {
			require.NoError(t, s.Check(s.Clean(value)), "%s %s", text, value)
		}
		for value := range strings.FieldsSeq(c.wrong) {
			err := s.Check(s.Clean(value))
			require.Equal(t, "setting:"+name, fault.FieldOf(err), "%s %s", text, value)
			require.Equal(t, fault.Message(s.Wants()), fault.Message(err))
		}
	}
	must := catalog.Setting{Name: "A", Mandatory: true}
	require.Equal(t, "This is required.", fault.Message(must.Check("")))
	require.Error(t, must.Check(strings.Repeat("é", 201)))
	require.NoError(t, must.Check(strings.Repeat("é", 200)))
	require.Error(t, must.Check("a\x00b"))
	require.Error(t, must.Check("\xff"))
}

func TestASettingMayAskForTheNumberAgain(t *testing.T) {
	t.Parallel()
	for text, again := range map[string]struct{ meter, phone bool }{
		"MeterId|Meter number as printed on the meter": {meter: true},
		"account_number|":                            {meter: true},
		"SmartCardNo|":                               {meter: true},
		"Phone number|":                              {phone: true},
		"Contact|Alternative phone number":           {},
		"Holder's name|Name of the account's holder": {},
		"Months (1-12)|How many months to pay for":   {},
		"Account PIN|The PIN of the account number":  {},
	} {
		name, description, _ := strings.Cut(text, "|")
		s := catalog.Setting{Name: name, Description: description}
		require.Equal(t, again.meter, s.Repeats(false), text)
		require.Equal(t, again.phone, s.Repeats(true), text)
	}
}

// TestASecretIsKnownHoweverItIsWritten: as one word of several, joined by hyphens, underscores or capitals; not as a
// part of another word.
func TestASecretIsKnownHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	for text, secret := range map[string]bool{
		"PIN|": true, "pin|": true, "Account_PIN|": true, "PIN-code|": true, "SIM-PIN|": true, "AccountPin|": true, "UserPIN|": true,
		"PINCode|": true, "Code|The 4-digit PIN-Nr": true, "OTP-code|": true, "CvvCode|": true, "OneTime|Your one-time code": true,
		"MyPassword|": true, "Passcode2|": true, "Clave|": true, "Contraseña|": true, "X|Votre mot de passe": true, "X|كلمة السر": true,
		"Shopping|": false, "Pineapple|": false, "Opinion|Your opinion": false, "Captop|": false, "ShippingId|": false, "MeterId|": false,
		"Name|Holder of the account": false, "": false,
	} {
		name, description, _ := strings.Cut(text, "|")
		require.Equal(t, secret, catalog.Setting{Name: name, Description: description}.Secret(), text)
	}
}

// TestATextThatNoValueFitsIsNoRule: it must not keep a product from being sold.
func TestATextThatNoValueFitsIsNoRule(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"without the leading 0 digit", "00 digits", "12-10 digits", "from 5 to 3", "9-9 to choose", "max 0",
	} {
		s := catalog.Setting{Name: "Reference", Description: text, Mandatory: true}
		require.NoError(t, s.Check("7"), text)
	}
	some := catalog.Setting{Name: "Suffix", Description: "0-3 digits"}
	require.NoError(t, some.Check("123"))
	require.Error(t, some.Check("1234"))
}

// TestWhatASettingWantsIsSaidWithItsBounds, as is what its values lack.
func TestWhatASettingWantsIsSaidWithItsBounds(t *testing.T) {
	t.Parallel()
	for description, want := range map[string]struct {
		value, code string
		args        []any
	}{
		"How many months":        {"x", "setting.whole", nil},
		"(1-12)":                 {"13", "setting.range", []any{int64(1), int64(12)}},
		"11 digits":              {"1", "setting.digits", []any{int64(11)}},
		"10 or 12 digits":        {"1", "setting.digits-range", []any{int64(10), int64(12)}},
		"YYYY-MM-DD":             {"2026-2-1", "setting.date", []any{"YYYY-MM-DD"}},
		"^[A-Z]+$":               {"a", "setting.form", []any{"^[A-Z]+$"}},
		"Free, but not so long":  {strings.Repeat("x", 201), "setting.too-long", []any{200}},
		"Free, but on one line":  {"a\nb", "setting.characters", nil},
		"Free, but to be filled": {"", "setting.missing", nil},
	} {
		var f *fault.Error
		require.ErrorAs(t, catalog.Setting{Name: "A b", Description: description, Mandatory: true}.Check(want.value), &f, description)
		require.Equal(t, want.code, f.Code, description)
		require.Equal(t, want.args, f.Args, description)
		require.Equal(t, "setting:A b", f.Field)
	}
	require.NoError(t, catalog.Setting{Name: "Holder"}.Wants())
}
