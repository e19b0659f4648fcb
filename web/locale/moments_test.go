package locale

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a language says before an hour and never before a day, and the other way around.
var (
	beforeAnHour = regexp.MustCompile(`(?i)(^|\s)(at|las|à|às|الساعة) $`)
	beforeEither = regexp.MustCompile(`(?i)(^|\s)(at|on|since|el|del|las|desde|à|le|du|depuis|às|em|في|منذ|الساعة|يوم) $`)
	beforeADay   = regexp.MustCompile(`(?i)(^|\s)(on|el|del|le|du|يوم) $`)
)

// TestDaysAndHoursAreSaidAsSuch: in no language does what is filled in with a day follow "at", or an hour "on".
func TestDaysAndHoursAreSaidAsSuch(t *testing.T) {
	t.Parallel()
	found := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && methodOf(call) == "Text" {
				found += saysMoments(t, call)
			}
			return true
		})
		return nil
	}))
	require.Greater(t, found, 30, "the search finds them")
}

func methodOf(of ast.Expr) string {
	if call, ok := of.(*ast.CallExpr); ok {
		if method, ok := call.Fun.(*ast.SelectorExpr); ok {
			return method.Sel.Name
		}
	}
	return ""
}

// saysMoments holds a message with days and hours to what each language says before them, and counts those.
func saysMoments(t *testing.T, call *ast.CallExpr) (found int) {
	t.Helper()
	if len(call.Args) < 2 {
		return 0
	}
	literal, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return 0
	}
	key, err := strconv.Unquote(literal.Value)
	require.NoError(t, err)
	wrong := map[string]*regexp.Regexp{
		"Date": beforeAnHour, "DateTime": beforeAnHour, "DayOfYear": beforeAnHour, "Time": beforeADay,
		"At": beforeEither, "Since": beforeEither,
	}
	for i, arg := range call.Args[1:] {
		never := wrong[methodOf(arg)]
		if never == nil {
			continue
		}
		found++
		for _, table := range tables() {
			text := table.text[key]
			where := "messages/" + table.tag.String() + ".toml: " + key + " = " + text
			require.NotRegexp(t, never, beforeVerb(text, i), where)
		}
	}
	return found
}

var aVerb = regexp.MustCompile(`%(?:\[(\d+)\])?[sd]`)

// beforeVerb is what a text says before what is filled in as its argument i.
func beforeVerb(text string, i int) string {
	for n, at := range aVerb.FindAllStringSubmatchIndex(text, -1) {
		if at[2] < 0 && n == i || at[2] >= 0 && text[at[2]:at[3]] == strconv.Itoa(i+1) {
			return text[:at[0]]
		}
	}
	return ""
}
