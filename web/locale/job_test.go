package locale

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"
)

// TestEveryJobHasAName: a room's new job would be called by its kind otherwise.
func TestEveryJobHasAName(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../internal/*/jobs.go")
	require.NoError(t, err)
	found := map[string]bool{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, kind := range regexp.MustCompile(`(?:Kind\(\) string \{ return |Kind: |(?:syncJob|SweepJob) += )"([a-z_.]+)"`).FindAllSubmatch(source, -1) {
			found[string(kind[1])] = true
			require.Contains(t, jobNames, string(kind[1]), file)
		}
	}
	require.Len(t, jobNames, len(found), "a name of no job")
	for _, state := range rivertype.JobStates() {
		require.Contains(t, jobStates, state)
	}
}
