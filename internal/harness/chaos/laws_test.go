//go:build chaos

package chaos

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What proves the laws must be seen to fail without them: each law is broken on
// purpose in the till, and the run must say which invariant that cost.
func TestEachBrokenLawIsFound(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "bin")
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	require.NoError(t, Build(t.Context(), root, bin))
	for _, law := range []struct {
		broken string // "" for none: the run must pass
		faults []string
		found  []string // one of these must be violated: what it costs hangs on who is first, and on when the till is back
	}{
		{"", []string{"kill-K5", "reply-lost", "provider-refuses", "webhook-100-times", "webhook-forged-body", "double-clicks-100"}, nil},
		{"resend", []string{"reply-lost", "reply-reset"}, []string{"I1", "L1"}},
		{"recovery", []string{"kill-K5", "kill-K6"}, []string{"I1", "L1", "I2", "verify"}},
		{"repeat", []string{"webhook-100-times"}, []string{"I5"}},
		{"refund", []string{"provider-refuses", "refund-double-clicked"}, []string{"I2", "I6"}},
		{"signature", []string{"webhook-forged-body"}, []string{"I2", "I1", "webhook"}},
		{"absence", []string{"list-empty", "list-stale"}, []string{"I2", "I1"}},
		{"pin", []string{"none"}, []string{"I9"}},
		{"cash", []string{"none"}, []string{"I7"}},
		{"key", []string{"double-clicks-100", "back-and-again"}, []string{"L8", "I2"}},
		{"budget", []string{"none"}, []string{"I10"}},
	} {
		t.Run("broken "+law.broken, func(t *testing.T) {
			o := Options{
				Duration: 8 * time.Second, Faults: law.faults, DB: sqliteDB, Robots: 6, Pace: 10, Speed: 40, Broken: law.broken, Bin: bin, Dir: t.TempDir(), Seed: 1,
			}
			if law.broken == "budget" {
				o.Backlog = 60
			}
			var out bytes.Buffer
			report, err := Run(t.Context(), o, &out)
			require.NoError(t, err, out.String())
			report.Write(&out)
			if law.broken == "" {
				require.True(t, report.Passed(), out.String())
				return
			}
			found := slices.ContainsFunc(report.Violations, func(v violation) bool { return slices.Contains(law.found, v.Law) })
			require.True(t, found, "none of %v was found: %s", law.found, out.String())
		})
	}
}
