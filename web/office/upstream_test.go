package office

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

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
