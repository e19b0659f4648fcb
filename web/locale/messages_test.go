package locale

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/feature/plural"
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

// names finds what looks like a key: tables hand some to Text.
var names = regexp.MustCompile(`"([a-z][a-zA-Z0-9]*(?:\.[a-zA-Z0-9]+)+)"`)

var messageFile = regexp.MustCompile(`locale/[a-z]{2}_[a-z]+\.go$`)

// namedKeys collects the literals of every source but the messages themselves.
func namedKeys(t *testing.T) map[string]bool {
	t.Helper()
	named := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isSource(path) || messageFile.MatchString(path) {
			return err
		}
		source, err := os.ReadFile(path)
		for _, match := range names.FindAllStringSubmatch(string(source), -1) {
			named[match[1]] = true
		}
		return err
	})
	require.NoError(t, err)
	return named
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
	used, named := usedKeys(t), namedKeys(t)
	for key := range english {
		family := key[:strings.LastIndex(key, ".")+1]
		require.True(t, used[key] || used[family] || named[key], "%s is used nowhere", key)
	}
}

// TestEveryLanguageIsComplete: the same keys, in each message the same verbs,
// and of each counted message the plural forms which the language has.
func TestEveryLanguageIsComplete(t *testing.T) {
	t.Parallel()
	for _, table := range tables {
		want := map[string]bool{}
		for key, text := range english {
			family, form, _ := cutLast(key)
			if counted(family) {
				require.Contains(t, forms(english, family), form)
				continue
			}
			want[key] = true
			own, ok := table.text[key]
			require.True(t, ok, "%v lacks %s", table.tag, key)
			require.ElementsMatch(t, verbsOf(text), verbsOf(own), "%v %s", table.tag, key)
		}
		for key, text := range table.text {
			family, _, _ := cutLast(key)
			require.True(t, want[key] || counted(family), "%v has %s, which English has not", table.tag, key)
			require.NotEmpty(t, strings.TrimSpace(text), "%v %s", table.tag, key)
		}
		require.Len(t, strings.Fields(table.text["date.months"]), 12, "%v", table.tag)
	}
}

func TestEveryPluralFormIsThere(t *testing.T) {
	t.Parallel()
	for _, table := range tables {
		for key := range english {
			family, _, _ := cutLast(key)
			if !counted(family) {
				continue
			}
			require.ElementsMatch(t, pluralForms(table.tag), forms(table.text, family), "%v %s", table.tag, family)
			for _, form := range forms(table.text, family) {
				found := verbsOf(table.text[family+"."+form])
				spelled := len(found) == 0 && (form == "zero" || form == "one" || form == "two")
				require.True(t, spelled || len(found) == 1, "%v %s.%s says the number once", table.tag, family, form)
			}
		}
	}
}

// TestFilesKeepTheOrderOfEnglish: whoever adds a message finds its place in
// each language at once, and no key stands in two files.
func TestFilesKeepTheOrderOfEnglish(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("en_*.go")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	seen := map[string]string{}
	for _, file := range files {
		for _, family := range familiesIn(t, file) {
			require.Empty(t, seen[family], "%s stands in %s too", family, file)
			seen[family] = file
		}
		for _, table := range tables {
			base, _ := table.tag.Base()
			other := base.String() + strings.TrimPrefix(file, "en")
			require.Equal(t, familiesIn(t, file), familiesIn(t, other), other)
		}
	}
}

// familiesIn lists the keys of a file in their order, a counted message once.
func familiesIn(t *testing.T, file string) []string {
	t.Helper()
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	var found []string
	for _, match := range regexp.MustCompile(`(?m)^\t"([^"]+)":`).FindAllStringSubmatch(string(source), -1) {
		key := match[1]
		if family, _, _ := cutLast(key); counted(family) {
			key = family
		}
		if len(found) == 0 || found[len(found)-1] != key {
			found = append(found, key)
		}
	}
	return found
}

// counted says whether a family of keys is the plural forms of one message.
func counted(family string) bool {
	_, one := english[family+".one"]
	_, other := english[family+".other"]
	return one && other
}

// forms lists the plural forms a table has of a family.
func forms(text map[string]string, family string) []string {
	var found []string
	for key := range text {
		if own, form, _ := cutLast(key); own == family {
			found = append(found, form)
		}
	}
	return found
}

// pluralForms lists the plural forms of a language which whole numbers need.
func pluralForms(tag language.Tag) []string {
	var found []string
	for n := range 1001 {
		form := pluralName(plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0))
		if !slices.Contains(found, form) {
			found = append(found, form)
		}
	}
	return found
}

// cutLast parts a key at its last point.
func cutLast(key string) (family, form string, found bool) {
	i := strings.LastIndex(key, ".")
	if i < 0 {
		return key, "", false
	}
	return key[:i], key[i+1:], true
}

var verbs = regexp.MustCompile(`%(?:\[\d\])?[a-z]`)

// verbsOf lists a message's verbs by the argument they take.
func verbsOf(text string) []string {
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
	require.Equal(t, "الدخول باسم \u2068Nora\u2069", New(language.Arabic, nil).Text("shell.account", "Nora"), "set apart from the direction around it")
	require.Equal(t, "You can try again in 1 second.", New(language.English, nil).Count("login.wait", 1))
	require.Equal(t, "You can try again in 8 seconds.", New(language.English, nil).Count("login.wait", 8))
	require.Equal(t, "You can try again in −8 seconds.", New(language.English, nil).Count("login.wait", -8), "by a clock that was set back")
	require.Equal(t, "يومان", New(language.Arabic, nil).Count("validity.days", 2), "in words")
	require.Equal(t, "\u2068٣٠\u2069 يومًا", New(language.Arabic, nil).Count("validity.days", 30))
}
