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

// TestEveryResourceHasAName: one that is new is listed without one otherwise.
func TestEveryResourceHasAName(t *testing.T) {
	t.Parallel()
	for _, r := range catalog.Resources() {
		require.NotContains(t, ResourceName(locale.New(language.English, time.UTC), r), ".", r)
	}
}
