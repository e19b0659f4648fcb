package office

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/health"
	"airtill/web/locale"
)

// TestAQuickCallTookSomeTime: 4 ms are not "0.00 s".
func TestAQuickCallTookSomeTime(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string][]string{
		"en": {"less than 0.01 s", "0.01 s", "1.50 s"},
		"es": {"menos de 0,01 s", "0,01 s", "1,50 s"},
		"fr": {"moins de 0,01 s", "0,01 s", "1,50 s"},
		"pt": {"menos de 0,01 s", "0,01 s", "1,50 s"},
		"ar": {"أقل من \u2068٠٫٠١\u2069 ث", "\u2068٠٫٠١\u2069 ث", "\u2068١٫٥٠\u2069 ث"},
	} {
		p := &office{l: locale.New(language.Make(tag), nil)}
		require.Equal(t, "–", p.seconds(0), "never called")
		for i, d := range []time.Duration{5*time.Millisecond - 1, 5 * time.Millisecond, 1500 * time.Millisecond} {
			require.Equal(t, want[i], p.seconds(d), "%s, %v", tag, d)
		}
	}
}

// TestCallsThatTakeLongerThanIsMeasuredSaySo: a call that waits in vain for 100 s and a bit is not one of which nothing is
// known.
func TestCallsThatTakeLongerThanIsMeasuredSaySo(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"en": "more than 100.00 s", "es": "más de 100,00 s", "fr": "plus de 100,00 s", "pt": "mais de 100,00 s",
		"ar": "أكثر من \u2068١٠٠٫٠٠\u2069 ث",
	} {
		p := &office{l: locale.New(language.Make(tag), nil)}
		require.Equal(t, want, p.within(health.Calls{Over: 100 * time.Second}), tag)
		require.Equal(t, p.seconds(time.Second), p.within(health.Calls{Most: time.Second}), tag)
		require.Equal(t, "–", p.within(health.Calls{}), "never called")
	}
}
