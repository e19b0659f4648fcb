package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheSecurityTableIsTrue: each row names a test that exists, or says why there is
// none; no item of ASVS stands there twice, and no chapter is left out.
func TestTheSecurityTableIsTrue(t *testing.T) {
	t.Parallel()
	exist := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	require.NoError(t, filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, found := range function.FindAllStringSubmatch(string(source), -1) {
			exist[found[1]] = true
		}
		return err
	}))
	document, err := os.ReadFile("security.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(document), "| ASVS |")
	require.True(t, found)
	item, seen, chapters := regexp.MustCompile(`^(\d+)\.\d+\.\d+$`), map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.HasPrefix(cells[1], "---") {
			continue
		}
		for number := range strings.SplitSeq(cells[1], ",") {
			number = strings.TrimSpace(number)
			parts := item.FindStringSubmatch(number)
			require.NotNil(t, parts, line)
			require.False(t, seen[number], "%s stands there twice", number)
			seen[number], chapters[parts[1]] = true, true
		}
		tests := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(cells[3], -1)
		without := strings.HasPrefix(cells[2], " – ") || strings.HasPrefix(cells[2], " **Not held**")
		require.Equal(t, without, len(tests) == 0, "a row has tests, or says why not: %s", line)
		for _, test := range tests {
			require.True(t, exist[test[1]], "%s does not exist", test[1])
		}
	}
	require.Len(t, chapters, 17)
	require.Greater(t, len(seen), 200)
	for _, test := range regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(document), -1) {
		require.True(t, exist[test[1]], "%s does not exist", test[1])
	}
}
