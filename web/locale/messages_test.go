package locale

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
)

// uses finds the keys a source file asks for.
var uses = regexp.MustCompile(`\b(Text|Count|badAmount)\(\s*"([a-zA-Z0-9.]+)"`)

// usedKeys collects the keys of every source file below web. A counted key
// stands for its plural forms and ends in a point.
func usedKeys(t *testing.T) map[string]bool {
	t.Helper()
	used := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isSource(path) {
			return err
		}
		source, err := os.ReadFile(path)
		for _, match := range uses.FindAllStringSubmatch(string(source), -1) {
			key := match[2]
			if match[1] == "Count" {
				key += "."
			}
			used[key] = true
		}
		return err
	})
	require.NoError(t, err)
	require.Greater(t, len(used), 100, "the search finds the keys")
	return used
}

func isSource(path string) bool {
	generated := strings.HasSuffix(path, "_templ.go") || strings.HasSuffix(path, "_test.go")
	return strings.HasSuffix(path, ".templ") || strings.HasSuffix(path, ".go") && !generated
}

func TestEveryKeyInUseIsInEnglish(t *testing.T) {
	t.Parallel()
	for key := range usedKeys(t) {
		if strings.HasSuffix(key, ".") {
			key += "other"
		}
		_, ok := english[key]
		require.True(t, ok, "%s has no English text", key)
	}
}

func TestNoMessageIsUnused(t *testing.T) {
	t.Parallel()
	used := usedKeys(t)
	for key := range english {
		family := key[:strings.LastIndex(key, ".")+1]
		require.True(t, used[key] || used[family], "%s is used nowhere", key)
	}
}

// TestEveryLanguageIsComplete holds for each further table as it comes: the
// same keys, and in each message the same verbs.
func TestEveryLanguageIsComplete(t *testing.T) {
	t.Parallel()
	verbs := regexp.MustCompile(`%(?:\[\d\])?[a-z]`)
	for _, table := range tables {
		for key, text := range english {
			own, ok := table.text[key]
			require.True(t, ok || isPlural(key), "%v lacks %s", table.tag, key)
			if ok {
				require.ElementsMatch(t, numbered(verbs, text), numbered(verbs, own), "%v %s", table.tag, key)
			}
		}
		require.Len(t, strings.Fields(table.text["date.months"]), 12, "%v", table.tag)
	}
}

// isPlural says whether a key is one plural form, which other languages may not
// have; each has "other".
func isPlural(key string) bool { return strings.HasSuffix(key, ".one") }

// numbered lists a message's verbs by the argument they take.
func numbered(verbs *regexp.Regexp, text string) []string {
	found := verbs.FindAllString(text, -1)
	for i, verb := range found {
		if !strings.Contains(verb, "[") {
			found[i] = "%[" + string(rune('1'+i)) + "]" + verb[1:]
		}
	}
	return found
}

func TestText(t *testing.T) {
	t.Parallel()
	l := New(language.MustParse("sw"), nil)
	require.Equal(t, "Sign in", l.Text("login.button"), "a language without texts reads English")
	require.Equal(t, "no.such.key", l.Text("no.such.key"))
	require.Equal(t, "Signed in as \u2068Nora\u2069", New(language.Arabic, nil).Text("shell.account", "Nora"), "set apart from the direction around it")
	require.Equal(t, "You can try again in 1 second.", New(language.English, nil).Count("login.wait", 1))
	require.Equal(t, "You can try again in 8 seconds.", New(language.English, nil).Count("login.wait", 8))
}
