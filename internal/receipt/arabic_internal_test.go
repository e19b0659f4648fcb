package receipt

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Letters take the forms that Unicode's table of presentation forms gives them,
// and stand in the order in which they are seen.
func TestArabicIsJoinedAndTurnedAround(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"شحن":     "\ufee6\ufea4\ufeb7",          // sheen first, hah in the middle, noon last
		"سلام":    "\ufee1\ufefc\ufeb3",          // lam and alef are one sign
		"لا":      "\ufefb",                      // alone
		"دار":     "\ufead\ufe8d\ufea9",          // letters that join nothing after them
		"بَيت":    "\ufe96\ufef4\ufe91",          // marks are left out
		"رصيد 25": "25 \ufeaa\ufef4\ufebb\ufead", // numbers keep their order
		"Top-up":  "Top-up",
	} {
		require.Equal(t, want, visual(text, true), text)
	}
}

func TestPairsOfAnArabicPaperBeginAtTheRight(t *testing.T) {
	t.Parallel()
	r := row{start: "شحن", end: "10.30"}
	require.Equal(t, "10.30  \ufee6\ufea4\ufeb7", r.cells(10, true))
	require.Equal(t, "شحن"[:0]+"\ufee6\ufea4\ufeb7  10.30", r.cells(10, false))
}
