package templates

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/web/locale"
)

// TestEveryLookHasItsWords: what states and errors are called is a message, not a key without one.
func TestEveryLookHasItsWords(t *testing.T) {
	t.Parallel()
	l := locale.New(language.English, time.UTC)
	var keys []string
	for _, look := range slices.AppendSeq([]stateLook{onSend}, maps.Values(stateLooks)) {
		keys = append(keys, look.headline, look.word)
		if look.more != "" {
			keys = append(keys, look.more)
		}
	}
	for status := range errorLooks {
		keys = append(keys, lookOfError(status).title, lookOfError(status).text)
	}
	for _, key := range append(keys, lookOfError(0).title, lookOfError(0).text) {
		require.NotEqual(t, key, l.Text(key))
	}
}

// TestToneAndIconOfAState: no two tones share an icon, so that colours are not all there is to see.
func TestToneAndIconOfAState(t *testing.T) {
	t.Parallel()
	tones := map[string]string{}
	for _, look := range slices.AppendSeq([]stateLook{onSend}, maps.Values(stateLooks)) {
		if tone, told := tones[look.icon]; told {
			require.Equal(t, tone, look.tone, look.icon)
		}
		tones[look.icon] = look.tone
	}
}
