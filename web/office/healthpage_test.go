package office

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/web/locale"
)

// TestEveryRuleIsTranslated: of the checks that a till makes none speaks for itself.
func TestEveryRuleIsTranslated(t *testing.T) {
	t.Parallel()
	for _, named := range locale.Languages() {
		l := locale.New(language.MustParse(named.Tag), time.UTC)
		for _, name := range []string{"I2", "I3", "I4", "I5", "I6", "I7", "I8", "audit", "shifts", "statements", "guards", "tail", "sealed"} {
			require.NotEmpty(t, l.Word("health.rule.", name, ""), "%s in %s", name, named.Tag)
		}
		for kind, key := range incidentAdvice {
			require.NotEqual(t, key, l.Text(key), "%s in %s", kind, named.Tag)
		}
	}
}
