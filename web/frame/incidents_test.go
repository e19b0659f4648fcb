package frame

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/sales"
	"airtill/web/locale"
)

// TestEveryIncidentHasItsWords: what an incident is called is a message, not a key without one.
func TestEveryIncidentHasItsWords(t *testing.T) {
	t.Parallel()
	l := locale.New(language.English, time.UTC)
	for _, kind := range sales.IncidentKinds() {
		other := kind == sales.UnknownState || kind == sales.NeverSentYetPresent
		require.Equal(t, other, IncidentText(l, kind) == l.Text("incident.other"), kind)
	}
}
