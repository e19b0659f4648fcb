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

// On a paper written from left to right, a name that begins in Arabic is read from its right end on, with the numbers
// and the foreign words in it; on one written from right to left every text is.
func TestAnArabicNameIsOneOnAnyPaper(t *testing.T) {
	t.Parallel()
	const shop, hour = "\ufeae\ufea0\ufe98\ufee3", "\ufe94\ufecb\ufe8e\ufeb3"
	for text, want := range map[string][2]string{ // from left to right, and from right to left
		"متجر 24 ساعة":          {hour + " 24 " + shop, hour + " 24 " + shop},
		"متجر 24/7":             {"24/7 " + shop, "24/7 " + shop},
		"متجر ٢٤ ساعة":          {hour + " ٢٤ " + shop, hour + " ٢٤ " + shop},
		"متجر and ساعة":         {hour + " and " + shop, hour + " and " + shop},
		"Shop متجر":             {"Shop " + shop, shop + " Shop"},
		"Shop متجر 24 ساعة Ltd": {"Shop " + hour + " 24 " + shop + " Ltd", "Ltd " + hour + " 24 " + shop + " Shop"},
		"Shop متجر 24 hours":    {"Shop 24 " + shop + " hours", "hours 24 " + shop + " Shop"},
	} {
		require.Equal(t, want, [2]string{visual(text, false), visual(text, true)}, text)
	}
}

func TestPairsOfAnArabicPaperBeginAtTheRight(t *testing.T) {
	t.Parallel()
	r := row{start: "شحن", end: "10.30"}
	require.Equal(t, "10.30  \ufee6\ufea4\ufeb7", r.cells(10, true))
	require.Equal(t, "شحن"[:0]+"\ufee6\ufea4\ufeb7  10.30", r.cells(10, false))
}
