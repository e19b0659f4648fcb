package docs_test

import (
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheMapIsTrue: every room is on ARCHITECTURE's map, and imports rooms above it alone.
func TestTheMapIsTrue(t *testing.T) {
	t.Parallel()
	rooms := roomsOnTheMap(t)
	line := map[string]int{}
	for i, room := range rooms {
		line[room] = i
	}
	for _, pattern := range []string{"internal/*", "web", "web/*", "cmd/*", "migrations"} {
		folders, err := filepath.Glob(filepath.Join("..", pattern))
		require.NoError(t, err)
		for _, folder := range folders {
			room := filepath.ToSlash(strings.TrimPrefix(folder, ".."+string(filepath.Separator)))
			imports := importsOf(t, folder)
			if len(imports) == 0 {
				continue // no package of Go
			}
			require.Contains(t, line, room)
			for _, imported := range imports {
				if at, isRoom := line[imported]; isRoom && imported != room {
					require.Less(t, at, line[room], "%s imports %s", room, imported)
				}
			}
		}
	}
}

// roomsOnTheMap are the rooms in the order of the map. In a row a name without a folder has that of the first.
func roomsOnTheMap(t *testing.T) (rooms []string) {
	t.Helper()
	document, err := os.ReadFile("../ARCHITECTURE.md")
	require.NoError(t, err)
	_, rows, found := strings.Cut(string(document), "## Map\n")
	require.True(t, found)
	rows, _, found = strings.Cut(rows, "\nWhat proves the product")
	require.True(t, found)
	for row := range strings.Lines(rows) {
		cells := strings.Split(row, "|")
		if len(cells) < 2 {
			continue
		}
		folder := ""
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			room := name[1]
			if folder != "" && !strings.Contains(room, "/") {
				room = path.Join(folder, room)
			} else if strings.Contains(room, "/") {
				folder = path.Dir(room)
			}
			rooms = append(rooms, room)
		}
	}
	require.Greater(t, len(rooms), 50)
	return rooms
}

// importsOf are what a folder's package imports, those of ours without the module's name; tests are left out.
func importsOf(t *testing.T, folder string) (imports []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			imports = append(imports, strings.TrimPrefix(imported, "airtill/"))
		}
	}
	return imports
}
