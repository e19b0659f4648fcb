package locale

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"
)

// TestEveryJobHasAName: a room's new job would be called by its kind otherwise.
func TestEveryJobHasAName(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../internal/*/*.go")
	require.NoError(t, err)
	found := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, kind := range regexp.MustCompile(`(?:Kind\(\) string \{ return |Kind: |(?:syncJob|statusJob|SweepJob) += )"([a-z_.]+)"`).FindAllSubmatch(source, -1) {
			found[string(kind[1])] = true
			require.NotEmpty(t, english().text["jobs.name."+string(kind[1])], file)
		}
	}
	named := 0
	for key := range english().text {
		if strings.HasPrefix(key, "jobs.name.") {
			named++
		}
	}
	require.Equal(t, len(found), named, "a name of no job")
	for _, state := range rivertype.JobStates() {
		require.NotEmpty(t, english().text["jobs.state."+string(state)])
	}
}
