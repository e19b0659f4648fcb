package locale_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/money"
	"airtill/web/locale"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wishes []string
		want   string
	}{
		{nil, "en"},
		{[]string{""}, "en"},
		{[]string{"es"}, "es"},
		{[]string{"", "fr-CA,fr;q=0.9,en;q=0.8"}, "fr"},
		{[]string{"ar", "fr"}, "ar"},
		{[]string{"zh-CN,ar-MA;q=0.5"}, "ar"},
		{[]string{"zh-CN"}, "en"},
		{[]string{"klingon!", "es-MX"}, "es"},
		{[]string{"\x00\xff;q=2"}, "en"},
	} {
		require.Equal(t, c.want, locale.Match(c.wishes...).String(), "%q", c.wishes)
	}
}

func TestAt(t *testing.T) {
	t.Parallel()
	sum := money.MustParse("1234.5", "EUR")
	for _, c := range []struct{ tag, country, at, amount string }{
		{"en", "IE", "en-IE", "€1,234.50"},
		{"es", "IE", "es-IE", "1.234,50\u00a0€"},
		{"es", "MX", "es-MX", "EUR\u00a01,234.50"},
		{"fr", "FR", "fr-FR", "1\u00a0234,50\u00a0€"},
		{"ar", "EG", "ar-EG", "\u200f١٬٢٣٤٫٥٠\u00a0€"},
		{"ar", "MA", "ar-MA", "\u200f1.234,50\u00a0€"},
		{"en-GB", "MA", "en-GB", "€1,234.50"},
		{"es", "?", "es", "1.234,50\u00a0€"},
		{"es", "", "es", "1.234,50\u00a0€"},
	} {
		tag := locale.At(language.MustParse(c.tag), c.country)
		require.Equal(t, c.at, tag.String())
		l := locale.New(tag, nil)
		require.Equal(t, c.amount, l.Amount(sum), c.at)
		back, err := l.ParseAmount(l.PlainAmount(sum), "EUR")
		require.NoError(t, err)
		require.Equal(t, sum, back)
	}
}

func TestOfCountry(t *testing.T) {
	t.Parallel()
	for country, want := range map[string]string{"IE": "en", "ES": "es", "MX": "es", "FR": "fr", "MA": "ar", "EG": "ar", "BR": "pt", "MZ": "pt", "JP": "en", "": "en", "??": "en"} {
		require.Equal(t, want, locale.OfCountry(country).String(), country)
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	require.Contains(t, locale.Languages(), locale.Named{Tag: "ar", Name: "العربية", Direction: locale.RightToLeft})
	require.True(t, locale.Speaks("fr"))
	require.False(t, locale.Speaks("sw"))
	require.True(t, in("fr-CA").Speaks("fr"))
	require.True(t, in("sw").Speaks("en"), "a language without texts reads English")
}
