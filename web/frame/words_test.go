package frame

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/alert"
	"airtill/internal/catalog"
	"airtill/web/locale"
)

// A rate is read as every other number of the page is.
func TestATaxIsWrittenByTheLocale(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{"en": "VAT 8.875 %", "fr": "VAT 8,875 %", "ar": "\u2068VAT\u2069 \u2068٨٫٨٧٥\u2069 %"} {
		require.Equal(t, want, TaxText(locale.New(language.MustParse(tag), time.UTC), "VAT", "0.08875"), tag)
	}
}

// Some shops number their people.
func TestANameIsNoNumber(t *testing.T) {
	t.Parallel()
	l := locale.New(language.English, time.UTC)
	require.Contains(t, AlertText(l, alert.BreakGlass, []string{"1001", "2026-03-01 11:40 UTC"}), "The admin 1001 signed in")
}

// Names of people, shops and tills are read by people: neither capitals nor accents nor digits come first.
func TestNamesAreInTheOrderOfTheReadersLanguage(t *testing.T) {
	t.Parallel()
	want := []string{"ahmed", "Ángel", "Nunes", "Ñusta", "Oscar", "Till 2", "Till 10", "Zoe", "أحمد"}
	for _, tag := range []string{"en", "es", "fr", "pt"} {
		named := map[string]string{}
		for _, name := range want {
			named[name] = name
		}
		pick := PickNamed(locale.New(language.MustParse(tag), time.UTC), "who", "Who", "", named)
		var got []string
		for _, choice := range pick.Choices[1:] {
			got = append(got, choice.Text)
		}
		require.Equal(t, want, got, tag)
	}
}

// TestEveryResourceHasAName: one that is new is listed without one otherwise.
func TestEveryResourceHasAName(t *testing.T) {
	t.Parallel()
	for _, r := range catalog.Resources() {
		require.NotContains(t, ResourceName(locale.New(language.English, time.UTC), r), ".", r)
	}
}
