package phone

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFind(t *testing.T) {
	for _, c := range []struct{ text, country, digits, of, grouped, national string }{
		{"0871234567", "IE", "353871234567", "IE", "+353 87 123 4567", "087 123 4567"},
		{"+353871234567", "", "353871234567", "IE", "+353 87 123 4567", "087 123 4567"},
		{"+353871234567", "FR", "353871234567", "IE", "+353 87 123 4567", "087 123 4567"},
		{"0236618300", "IT", "390236618300", "IT", "+39 02 3661 8300", "02 3661 8300"},
	} {
		for range 2 { // read, and remembered
			n, is := Find(c.text, c.country)
			require.True(t, is, c.text)
			require.Equal(t, c.digits, n.Digits)
			require.Equal(t, c.of, n.Country)
			require.Equal(t, c.grouped, n.Grouped)
			require.Equal(t, c.national, n.National())
		}
	}
}

// They were part of a Mexican number until 2019, and still are where it was written down before, or in a messenger.
func TestAMexicanNumberIsReadWithItsFormerPrefix(t *testing.T) {
	for text, country := range map[string]string{
		"+5215512345678": "", "15512345678": "MX", "0445512345678": "MX", "0455512345678": "MX", "015512345678": "MX",
		"0115215512345678": "US",
	} {
		n, is := Find(text, country)
		require.True(t, is, text)
		require.Equal(t, "525512345678", n.Digits, text)
	}
	for _, text := range []string{"+521551234567", "+52155123456789", "+5225512345678", "+5210012345678"} {
		_, is := Find(text, "")
		require.False(t, is, text)
	}
}

func TestThereIsNoSuchNumber(t *testing.T) {
	for _, text := range []string{"", "1", "08712345", "+000", "+35387"} {
		for range 2 {
			n, is := Find(text, "IE")
			require.False(t, is, text)
			require.Nil(t, n)
		}
	}
}

func TestOnlyMobilesAreMobile(t *testing.T) {
	for text, mobile := range map[string]bool{"+353871234567": true, "+35312345678": false, "+12025550123": true} {
		n, is := Find(text, "")
		require.True(t, is, text)
		require.Equal(t, mobile, n.Mobile(), text)
	}
}

func TestCountryOf(t *testing.T) {
	require.Equal(t, "IE", CountryOf("353000000000"), "a range that is not known yet")
	require.Empty(t, CountryOf("12025550123"), "several share it")
	require.Empty(t, CountryOf("0"))
}

func TestANumberIsReadOnce(t *testing.T) {
	n, is := Find("0851234567", "IE")
	require.True(t, is)
	again := func() {
		typed, _ := Find("0851234567", "IE")
		shown, _ := Find("+353851234567", "")
		require.Same(t, n, typed)
		require.Same(t, n, shown)
	}
	again()
	require.Less(t, testing.AllocsPerRun(10, again), 10.0, "reading one anew takes some eighty")
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	for i := range 2 * mostHeld {
		Find(strconv.Itoa(i), "IE")
	}
	require.LessOrEqual(t, len(lately.held), mostHeld)
}

func BenchmarkFind(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Find("0851234567", "IE")
	}
}
