package locale

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/fault"
)

// TestEveryConflictHasATitleThatSaysWhatItIs: all faults of kind Conflict in the rooms'
// sources, and no title of any that nobody makes.
func TestEveryConflictHasATitleThatSaysWhatItIs(t *testing.T) {
	t.Parallel()
	l, found := New(language.English, nil), map[string]bool{}
	for code, all := range faultsOf(t) {
		if slices.ContainsFunc(all, func(f said) bool { return f.ours && f.clashes }) {
			found[code] = true
		}
	}
	require.Greater(t, len(found), 40, "the search finds them")
	var missing []string
	for code := range found {
		title := l.ConflictTitle(fmt.Errorf("sell: %w", fault.New(fault.Conflict, code)))
		if title == l.Text("error.409") {
			missing = append(missing, code)
		}
		require.NotContains(t, title, "error.", "no text for that of %s", code)
	}
	require.Empty(t, missing, "these have no title in conflicts.toml")
	for code := range conflicts() {
		require.True(t, found[code], "nobody makes %s", code)
	}
	require.Empty(t, l.ConflictTitle(fault.New(fault.NotFound, "sale.none")))
}
