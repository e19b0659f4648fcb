package frame

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/invariant"
	"airtill/web/locale"
)

// TestCheckNotes: every note of a check, as each language says it (testdata/checknotes.txt; UPDATE=1 writes it).
func TestCheckNotes(t *testing.T) {
	t.Parallel()
	const golden = "testdata/checknotes.txt"
	at := time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC)
	var got strings.Builder
	for _, named := range locale.Languages() {
		l := locale.New(language.MustParse(named.Tag), time.UTC)
		got.WriteString(named.Tag + "\n")
		for _, kind := range []invariant.NoteKind{
			invariant.FloatBusy, invariant.SalesOpen, invariant.BalanceNotTold, invariant.AsOf, invariant.StillDiffers,
			invariant.KnownDifferences, invariant.OwnsTables, invariant.NothingNoted, invariant.FoundBefore,
		} {
			got.WriteString(CheckNotes(l, invariant.Finding{Notes: []invariant.Note{
				{Kind: kind, Micros: 5_000_000, Currency: "EUR", At: at},
			}}) + "\n")
		}
	}
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
	require.Equal(t, "As of 1 Mar 2026, 14:00. Of this, €5.00 are differences that nobody has resolved yet.",
		CheckNotes(locale.New(language.BritishEnglish, time.UTC), invariant.Finding{Notes: []invariant.Note{
			{Kind: invariant.AsOf, At: at}, {Kind: invariant.KnownDifferences, Micros: 5_000_000, Currency: "EUR"},
		}}))
	require.Empty(t, CheckNotes(locale.New(language.English, time.UTC), invariant.Finding{}))
}
