package web

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/web/frame"
	"airtill/web/locale"
)

func TestCountriesAreNamedForTheReader(t *testing.T) {
	t.Parallel()
	for tag, first := range map[string][]string{"en": {"", "Afghanistan", "Åland Islands"}, "es": {"", "Afganistán", "Albania"}, "fr": {"", "Afghanistan", "Afrique du Sud"}, "ar": {"", "آيسلندا"}} {
		choices := frame.CountryChoices(locale.New(language.MustParse(tag), nil))
		codes := map[string]string{}
		for i, choice := range choices {
			codes[choice.Value] = choice.Text
			require.True(t, i == 0 || choice.Text != "", "%s %q", tag, choice.Value)
			if i < len(first) {
				require.Equal(t, first[i], choice.Text)
			}
		}
		require.Greater(t, len(codes), 240)
		require.Len(t, choices, len(codes))
		for _, code := range []string{"IE", "GB", "XK", "SS"} {
			require.Contains(t, codes, code)
		}
		require.False(t, slices.ContainsFunc([]string{"UK", "DD", "SU", "EU"}, func(code string) bool { return codes[code] != "" }))
	}
}
