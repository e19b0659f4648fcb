package catalog_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"airtill/internal/catalog"
	"airtill/internal/fault"
)

func TestParseNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]catalog.Number{
		"+353 87 123 4567":                 {Digits: "353871234567", Country: "IE", Typed: "353871234567", Phone: true, Prefix: true},
		"0871234567":                       {Digits: "353871234567", Country: "IE", Typed: "0871234567", Phone: true},
		"00353871234567":                   {Digits: "353871234567", Country: "IE", Typed: "00353871234567", Phone: true, Prefix: true},
		"353871234567":                     {Digits: "353871234567", Country: "IE", Typed: "353871234567", Phone: true},
		"(087) 123-45.67":                  {Digits: "353871234567", Country: "IE", Typed: "0871234567", Phone: true},
		"tel:+353-87-123-4567;ext=5":       {Digits: "353871234567", Country: "IE", Typed: "353871234567", Phone: true, Prefix: true},
		"\u200e+353\u00a087\u2011123 4567": {Digits: "353871234567", Country: "IE", Typed: "353871234567", Phone: true, Prefix: true},
		"٠٨٧١٢٣٤٥٦٧":                       {Digits: "353871234567", Country: "IE", Typed: "0871234567", Phone: true},
		"۰۸۷۱۲۳۴۵۶۷":                       {Digits: "353871234567", Country: "IE", Typed: "0871234567", Phone: true},
		"०८७१२३४५६७":                       {Digits: "353871234567", Country: "IE", Typed: "0871234567", Phone: true},
		"＋３５３８７１２３４５６７":                    {Digits: "353871234567", Country: "IE", Typed: "353871234567", Phone: true, Prefix: true},
		"+234 803 123 4567":                {Digits: "2348031234567", Country: "NG", Typed: "2348031234567", Phone: true, Prefix: true},
		"+2348031234567":                   {Digits: "2348031234567", Country: "NG", Typed: "2348031234567", Phone: true, Prefix: true},
		"2348031234567":                    {Digits: "2348031234567", Country: "NG", Typed: "2348031234567", Phone: true},
		"+53 5 234 5678":                   {Digits: "5352345678", Country: "CU", Typed: "5352345678", Phone: true, Prefix: true},
		"45701234567890123":                {Digits: "45701234567890123", Typed: "45701234567890123"},
		"+999 123 4567":                    {Digits: "9991234567", Typed: "9991234567", Phone: true, Prefix: true},
		"+234 999 123 4567":                {Digits: "2349991234567", Country: "NG", Typed: "2349991234567", Phone: true, Prefix: true},
		" tel:+353 87 123 4567":            {Digits: "353871234567", Country: "IE", Typed: "353871234567", Phone: true, Prefix: true},
		"\t087\n123\u22124567":             {Digits: "353871234567", Country: "IE", Typed: "0871234567", Phone: true},
		"12345":                            {Digits: "12345", Typed: "12345"},
		"123456789012345678901234":         {Digits: "123456789012345678901234", Typed: "123456789012345678901234"},
	} {
		want.Home = "IE"
		got, err := catalog.ParseNumber(text, "ie")
		require.NoError(t, err, text)
		got.Other = "" // its hyphens
		require.Equal(t, want, got, text)
	}
}

func TestParseNumberInOtherShops(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ country, text, digits, of string }{
		{"NG", "08031234567", "2348031234567", "NG"},
		{"GB", "07400 123456", "447400123456", "GB"},
		{"US", "(212) 555-0123", "12125550123", "US"},
		{"US", "00353871234567", "353871234567", "IE"},
		{"EG", "٠١٠٠١٢٣٤٥٦٧", "201001234567", "EG"},
		{"US", "+52 1 55 1234 5678", "525512345678", "MX"},
		{"", "+353871234567", "353871234567", "IE"},
		{"XX", "353871234567", "353871234567", "IE"},
	} {
		got, err := catalog.ParseNumber(c.text, c.country)
		require.NoError(t, err, c.text)
		require.Equal(t, c.digits, got.Digits, c.text)
		require.Equal(t, c.of, got.Country, c.text)
	}
}

// Some countries dial abroad with other signs than 00, and some share a code, so that they dial each other as at home:
// nobody need be asked whether such a number is meant.
func TestANumberIsNoGuessAsItsShopsCountryDialsIt(t *testing.T) {
	t.Parallel()
	b := meters(t, nil)
	for _, c := range []struct{ home, text, of string }{
		{"US", "011 234 803 123 4567", "NG"},
		{"JP", "010 234 803 123 4567", "NG"},
		{"RU", "810 234 803 123 4567", "NG"},
		{"US", "(876) 361-1234", "JM"},
		{"US", "1 809 555 1234", "DO"},
		{"CA", "212 555 0123", "US"},
		{"GB", "07797 712345", "JE"},
		{"JE", "07400 123456", "GB"},
		{"KZ", "8 916 123 45 67", "RU"},
	} {
		n, err := catalog.ParseNumber(c.text, c.home)
		require.NoError(t, err)
		require.Equal(t, c.of, n.Country, c.text)
		require.False(t, b.Current().Guess(n).Foreign, c.text)
	}
	abroad, err := catalog.ParseNumber("2348031234567", "US")
	require.NoError(t, err)
	require.True(t, b.Current().Guess(abroad).Foreign)
}

func TestParseNumberSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"":                                "Enter the account number",
		" \u00a0\t":                       "Enter the account number",
		"()":                              "Enter the account number",
		"12":                              "too short",
		"+":                               "too short",
		"1234567890123456789012345678901": "too long",
		"hello":                           "letters",
		"+ABC 12345":                      "letters",
		"087 АВС 4567":                    "letters",
		"مرحبا":                           "letters",
		"你好世界你好":                          "letters",
		"📱0871234567":                     "other characters",
		"087+1234567":                     "other characters",
		"0871234567\x00":                  "other characters",
		"087123456७️⃣":                    "other characters",
	} {
		_, err := catalog.ParseNumber(text, "IE")
		var f *fault.Error
		require.ErrorAs(t, err, &f, text)
		require.Equal(t, fault.Invalid, f.Kind, text)
		require.Equal(t, "number", f.Field, text)
		require.Contains(t, f.Message, says, text)
		if strings.TrimSpace(text) != "" && len(text) > 3 {
			require.NotContains(t, f.Message, text)
		}
	}
}

// Some providers' numbers have letters, or hyphens that belong to them.
func TestParseNumberKeepsLettersAndHyphens(t *testing.T) {
	t.Parallel()
	for text, forms := range map[string][]string{
		"gb12345678":      {"GB12345678", "gb12345678"},
		"P 123 456 789":   {"P123456789"},
		"AZaz1":           {"AZAZ1", "AZaz1"},
		"GB-1234-5678":    {"GB-1234-5678", "GB12345678"},
		"123456-123456":   {"123456123456", "123456-123456"},
		"123456–123456":   {"123456123456", "123456-123456"},
		"(087) 123-4567":  {"353871234567", "0871234567", "087123-4567"},
		"+353-87-1234567": {"353871234567", "353-87-1234567"},
	} {
		got, err := catalog.ParseNumber(text, "IE")
		require.NoError(t, err, text)
		require.Equal(t, forms, got.Forms(), text)
	}
}

// FuzzParseNumber: what is accepted is digits, letters and hyphens only, and reading
// a phone's number again as an international one gives the same digits.
func FuzzParseNumber(f *testing.F) {
	for _, seed := range []string{"+353 87 123 4567", "0871234567", "٠٨٧١٢٣٤٥٦٧", "tel:1", "00", "\u202e12345", "+", "９９９９９９", "𝟘𝟙𝟚𝟛𝟜𝟝"} {
		f.Add(seed, "IE")
	}
	f.Fuzz(func(t *testing.T, text, country string) {
		n, err := catalog.ParseNumber(text, country)
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			return
		}
		require.NotEmpty(t, n.Digits)
		for _, r := range n.Digits + n.Typed {
			require.True(t, r <= unicode.MaxASCII && (unicode.IsDigit(r) || unicode.IsLetter(r) || r == '-'), "%q", n.Digits)
		}
		if n.Phone && len(n.Digits) >= 5 {
			again, err := catalog.ParseNumber("+"+n.Digits, country)
			require.NoError(t, err)
			require.Equal(t, n.Digits, again.Digits)
		}
	})
}

// The last digit of a test number picks the outcome; letters tell it from others.
func TestATestNumberIsKnownHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		test, number string
		is           bool
	}{
		{"AB0000000", "AB0000003", true},
		{"+353 000 000 000", "353000000005", true},
		{"AB0000000", "CD0000003", false},
		{"AB0000000", "0000003", false},
		{"", "3", false},
	} {
		require.Equal(t, c.is, (&catalog.Product{UATNumber: c.test}).IsTest(c.number), "%s of %s", c.number, c.test)
	}
}

// A meter's number that could be a phone's, too, is the one that was sold to before, however it is grouped.
func TestASaleIsRememberedHoweverItsNumberIsGrouped(t *testing.T) {
	t.Parallel()
	b := meters(t, map[string]string{"BRIE": "^[0-9]{10}$"})
	require.NoError(t, b.Remember(t.Context(), "0871234567", "BRIE", catalog.SourceSale))
	for _, typed := range []string{"0871234567", "087 1234567", "087-1234567"} {
		known := b.lookup(t, typed)
		require.Equal(t, catalog.SourceSale, known.Source, typed)
		require.Equal(t, []string{"BRIE"}, codes(known.Candidates), typed)
	}
}
