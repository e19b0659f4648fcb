package store_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// SQLite compiles a statement with a bound limit each time it is asked, which was a fifth of a page's time.
func TestWhatAPageAsksNamesItsLimit(t *testing.T) {
	bound := regexp.MustCompile(`(?i)\b(limit|offset)\s+[?@$]`)
	files := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "store.Asking") {
			return err
		}
		files++
		require.Empty(t, bound.FindString(string(text)), "%s binds a limit", path)
		return nil
	}))
	require.Greater(t, files, 5, "files that ask what a page shows")
}
