package frame

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/invariant"
	"airtill/web/locale"
)

// TestEveryOffenderHasItsSentence in each language, with nothing left open in it; one of a later version has, too.
func TestEveryOffenderHasItsSentence(t *testing.T) {
	t.Parallel()
	isolates := strings.NewReplacer("\u2068", "", "\u2069", "")
	english := locale.New(language.English, time.UTC)
	for _, named := range locale.Languages() {
		l := locale.New(language.MustParse(named.Tag), time.UTC)
		other := l.Text("health.offence.other")
		require.Equal(t, other, OffenderText(l, invariant.Offender{Kind: "sale.unheard"}))
		for kind, facts := range invariant.Kinds() {
			o := invariant.Offender{Kind: kind, Facts: facts}
			text := OffenderText(l, o)
			require.NotContains(t, []string{"", other}, text, "%s in %s", kind, named.Tag)
			require.NotRegexp(t, `%|health\.|statement\.|\b5\.00 EUR`, text, "%s in %s", kind, named.Tag)
			if named.Tag != "en" { // with facts that are written alike everywhere
				for i := range o.Facts {
					o.Facts[i] = "x"
				}
				require.NotEqual(t, OffenderText(english, o), isolates.Replace(OffenderText(l, o)), "%s in %s", kind, named.Tag)
			}
		}
		for number, key := range accountNames {
			require.NotEqual(t, key, AccountName(l, number), named.Tag)
			require.NotContains(t, AccountName(l, number), number, named.Tag)
		}
	}
	require.Equal(t, "It opened with €5.00, but €5.00 is booked.", OffenderText(english, invariant.Offender{
		Kind: "shift.opened", Facts: []string{"5.00 EUR", "5.00 EUR"},
	}))
	require.Equal(t, "Its history cannot be read. (state x)", OffenderLine(english, invariant.Offender{
		Kind: "sale.unreadable", Problem: "state x",
	}))
	require.Equal(t, "event 1 is missing", OffenderLine(english, invariant.Offender{Subject: "x", Problem: "event 1 is missing"}))
}
