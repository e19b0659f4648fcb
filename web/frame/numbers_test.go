package frame_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/web/frame"
)

func TestWhatIsSealedInAnAddressOpensForAWhile(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	numbers := func(key byte) *frame.Numbers {
		n, err := frame.NewNumbers(bytes.Repeat([]byte{key}, 32), func() time.Time { return now })
		require.NoError(t, err)
		return n
	}
	here, other := numbers(1), numbers(2)
	for _, text := range []string{"0871234567", "+353 87 123 4567", "GB-12345678", "Siobhán", "4567"} {
		sealed := here.Seal(text)
		require.NotContains(t, sealed, text)
		require.NotEqual(t, sealed, here.Seal(text), "nobody sees that two are the same")
		require.Equal(t, text, here.Open(sealed))
		require.Equal(t, text, numbers(1).Open(sealed), "in another process")
		require.Equal(t, sealed, here.Seal(sealed), "once is enough")
		require.Equal(t, text, here.Open(text), "what is not sealed is itself")
		require.Empty(t, other.Open(sealed), "under another key")
		require.Empty(t, here.Open(sealed[:len(sealed)-2]))
		require.Empty(t, here.Open(strings.ToUpper(sealed)))
		now = now.Add(7 * time.Hour)
		require.Equal(t, text, here.Open(sealed))
		now = now.Add(2 * time.Hour)
		require.Empty(t, here.Open(sealed), "too long ago")
	}
	for _, text := range []string{"", "-", "0000000000"} {
		require.Equal(t, text, here.Seal(text), "nobody's")
	}
	for _, text := range []string{"~", "~~", "~AAAA", "~%%"} {
		require.Empty(t, here.Open(text))
	}
}
