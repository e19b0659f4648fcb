package audit_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	return file
}

func TestEveryActIsListed(t *testing.T) {
	t.Parallel()
	var acts []audit.Act
	ast.Inspect(parse(t, "act.go"), func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && spec.Names[0].Obj.Kind == ast.Con {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			acts = append(acts, audit.Act(text))
		}
		return true
	})
	require.NotEmpty(t, acts)
	require.ElementsMatch(t, acts, audit.Acts())
}

func TestAnActThatIsNotListedIsNotWritten(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	err := db.Tx(t.Context(), func(tx *store.Tx) error {
		return newLog(db).Write(t.Context(), tx, audit.Entry{Actor: audit.Command("test"), Act: "moon.landed"})
	})
	require.EqualError(t, err, `write audit entry: unlisted act "moon.landed"`)
}

// TestActsAreMadeHereAlone: an act that is spelled elsewhere is no act that is listed. What is
// read, from the database or from a query, is converted where it is read.
func TestActsAreMadeHereAlone(t *testing.T) {
	t.Parallel()
	sources := 0
	for _, root := range []string{"../../internal", "../../web", "../../cmd"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			inside := filepath.Dir(path) == filepath.Join("..", "audit")
			if err != nil || inside || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			sources++
			ast.Inspect(parse(t, path), func(n ast.Node) bool {
				spelled := false
				switch n := n.(type) {
				case *ast.CallExpr:
					spelled = called(n.Fun, "Act") && len(n.Args) == 1 && literal(n.Args[0])
				case *ast.CompositeLit:
					spelled = (called(n.Type, "Entry") || called(n.Type, "Filter")) && actSpelled(n.Elts)
				}
				require.False(t, spelled, "%s spells an act", path)
				return true
			})
			return nil
		}))
	}
	require.Greater(t, sources, 300)
}

// called says whether an expression is a name of this package.
func called(e ast.Expr, name string) bool {
	selected, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := selected.X.(*ast.Ident)
	return ok && of.Name == "audit" && selected.Sel.Name == name
}

// literal says whether an expression is text that is spelled there, in whole or in part.
func literal(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return literal(e.X) || literal(e.Y)
	}
	return false
}

func actSpelled(fields []ast.Expr) bool {
	for _, field := range fields {
		set, ok := field.(*ast.KeyValueExpr)
		if key, named := set.Key.(*ast.Ident); ok && named && key.Name == "Act" && literal(set.Value) {
			return true
		}
	}
	return false
}
