package office

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/web/locale"
	"airtill/web/templates"
)

// TestEveryActHasAName: a room's new act would be called by what programs write.
func TestEveryActHasAName(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../internal/*/*.go")
	require.NoError(t, err)
	written := regexp.MustCompile(`(?:Action: |by, |action :?= )"([a-z-]+\.[a-z_-]+)"`)
	found := map[string]bool{"setup.checked": true, "setup.left-out": true}
	for _, file := range files {
		if matched, _ := filepath.Match("*_test.go", filepath.Base(file)); matched {
			continue
		}
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, act := range written.FindAllSubmatch(source, -1) {
			found[string(act[1])] = true
			require.Contains(t, auditActs, string(act[1]), file)
		}
	}
	require.Equal(t, templates.Cell{Text: "Something else", Hint: "moon.landed"}, actCell(locale.New(language.English, nil), "moon.landed"))
	require.Len(t, auditActs, len(found), "a name of no act")
}
