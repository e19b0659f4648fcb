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
