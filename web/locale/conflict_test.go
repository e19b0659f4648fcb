package locale

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/fault"
)

// TestEveryConflictHasATitleThatSaysWhatItIs: all faults of kind Conflict in the rooms'
// sources, and no title of any that nobody makes.
func TestEveryConflictHasATitleThatSaysWhatItIs(t *testing.T) {
	t.Parallel()
	l, all := New(language.English, nil), faultFormats(t)
	found := map[string]bool{}
	for _, root := range []string{"../../internal", ".."} {
		require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				if format := faultFormat(n); all[format] != "" && isConflict(n) {
					found[format] = true
				}
				return true
			})
			return nil
		}))
	}
	require.Greater(t, len(found), 40, "the search finds them")
	var missing []string
	for format := range found {
		title := l.ConflictTitle(fmt.Errorf("sell: %w", &fault.Error{Kind: fault.Conflict, Format: format}))
		if title == l.Text("error.409") {
			missing = append(missing, format)
		}
		require.NotContains(t, title, "error.", "no text for that of %q", format)
	}
	require.Empty(t, missing, "these have no title in conflict.go")
	for format := range conflicts {
		require.True(t, found[format], "nobody says %q", format)
	}
	require.Empty(t, l.ConflictTitle(fault.New(fault.NotFound, "There is no such sale.")))
}

func isConflict(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	for _, arg := range call.Args {
		if kind, ok := arg.(*ast.SelectorExpr); ok && kind.Sel.Name == "Conflict" {
			return true
		}
	}
	return false
}
