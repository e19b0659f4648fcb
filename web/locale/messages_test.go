package locale

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/BurntSushi/toml"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// uses finds the keys a source file asks for.
var uses = regexp.MustCompile(`\b(Text|Count|Word|badAmount)\(\s*"([a-zA-Z0-9.]+)"`)

// names finds what looks like a key: tables hand some to Text.
var names = regexp.MustCompile(`"([a-z][a-zA-Z0-9]*(?:\.[a-zA-Z0-9]+)+)"`)

// keysOf collects the keys of every source file below web: those that are asked for, true
// if they are counted, and everything that looks like one. What ends in a point is put
// together with what follows.
func keysOf(t *testing.T) (used, named map[string]bool) {
	t.Helper()
	used, named = map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isSource(path) {
			return err
		}
		source, err := os.ReadFile(path)
		for _, match := range uses.FindAllStringSubmatch(string(source), -1) {
			used[match[2]] = match[1] == "Count"
		}
		for _, match := range names.FindAllStringSubmatch(string(source), -1) {
			named[match[1]] = true
		}
		return err
	})
	require.NoError(t, err)
	require.Greater(t, len(used), 100, "the search finds the keys")
	return used, named
}

func isSource(path string) bool {
	generated := strings.HasSuffix(path, "_templ.go") || strings.HasSuffix(path, "_test.go")
	return strings.HasSuffix(path, ".templ") || strings.HasSuffix(path, ".go") && !generated
}

func TestEveryKeyInUseIsInEnglish(t *testing.T) {
	t.Parallel()
	used, _ := keysOf(t)
	for key, counted := range used {
		if strings.HasSuffix(key, ".") {
			continue
		}
		require.NotEmpty(t, english().text[key], "%s has no English text", key)
		_, forms := english().forms[key]
		require.Equal(t, counted, forms, "%s: Count is for messages with plural forms, Text for those without", key)
	}
}

func TestNoMessageIsUnused(t *testing.T) {
	t.Parallel()
	used, named := keysOf(t)
	for key := range english().text {
		together := false
		for i := range key {
			_, group := used[key[:i+1]]
			together = together || group && key[i] == '.'
		}
		require.True(t, named[key] || together, "%s is used nowhere", key)
	}
}

// TestEveryLanguageIsComplete: the same keys, and in each message the same verbs.
func TestEveryLanguageIsComplete(t *testing.T) {
	t.Parallel()
	require.NotEmpty(t, tables()[1:])
	for _, table := range tables() {
		for key, text := range english().text {
			require.NotEmpty(t, table.text[key], "%v lacks %s", table.tag, key)
			if _, counted := english().forms[key]; !counted {
				require.ElementsMatch(t, verbsOf(text), verbsOf(table.text[key]), "%v %s", table.tag, key)
			}
		}
		for key, text := range table.text {
			if !strings.HasPrefix(key, "fault.") {
				require.NotEmpty(t, english().text[key], "%v has %s, which English has not", table.tag, key)
			}
			require.NotEmpty(t, strings.TrimSpace(text), "%v %s", table.tag, key)
		}
		require.Len(t, strings.Fields(table.text["date.months"]), 12, "%v", table.tag)
		require.Len(t, strings.Fields(table.text["date.weekdays"]), 7, "%v", table.tag)
	}
}

func TestEveryPluralFormIsThere(t *testing.T) {
	t.Parallel()
	for _, table := range tables() {
		for key := range table.forms {
			require.NotEmpty(t, english().forms[key], "%v has plural forms of %s, English has none", table.tag, key)
		}
		for key := range english().forms {
			forms := table.forms[key]
			forms[plural.Other] = table.text[key]
			for form, text := range forms {
				form := plural.Form(form)
				require.Equal(t, pluralForms(table.tag)[form], text != "", "%v %s, form %d", table.tag, key, form)
				found := len(verbsOf(text))
				spelled := found == 0 && (form == plural.Zero || form == plural.One || form == plural.Two)
				require.True(t, text == "" || spelled || found == 1, "%v %s, form %d says the number once", table.tag, key, form)
			}
		}
	}
}

// TestFilesKeepTheOrderOfEnglish: whoever adds a message finds its place in
// each language at once.
func TestFilesKeepTheOrderOfEnglish(t *testing.T) {
	t.Parallel()
	order := keysInOrder(t, english())
	require.Len(t, order, len(english().text))
	for _, table := range tables()[1:] {
		require.Equal(t, order, keysInOrder(t, table), "%v", table.tag)
	}
}

// keysInOrder lists the keys of a language in the order of its file, without the faults.
func keysInOrder(t *testing.T, of *table) []string {
	t.Helper()
	var raw map[string]any
	file, err := toml.DecodeFS(files, "messages/"+of.tag.String()+".toml", &raw)
	require.NoError(t, err)
	var found []string
	for _, key := range file.Keys() {
		if key[0] != "fault" && !slices.Contains(found, key[0]) {
			found = append(found, key[0])
		}
	}
	return found
}

// pluralForms says which plural forms whole numbers need in a language.
func pluralForms(tag language.Tag) map[plural.Form]bool {
	found := map[plural.Form]bool{plural.Other: true}
	for n := range 1001 {
		found[plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0)] = true
	}
	return found
}

// TestALanguageIsAFile: no other line has to change for a further one.
func TestALanguageIsAFile(t *testing.T) {
	t.Parallel()
	source, err := fs.ReadFile(files, "messages/en.toml")
	require.NoError(t, err)
	read, err := readTables(fstest.MapFS{
		"messages/da.toml":    {Data: []byte(`"language.name" = "Dansk"`)},
		"messages/en.toml":    {Data: source},
		"messages/pt-BR.toml": {Data: []byte("\"language.name\" = \"Português\"\n\"login.wait\".one = \"%s segundo\"")},
	})
	require.NoError(t, err)
	var names []string
	for _, table := range read {
		names = append(names, table.tag.String()+" "+table.name())
	}
	require.Equal(t, []string{"en English", "da Dansk", "pt-BR Português"}, names)
	require.Equal(t, "%s segundo", read[2].forms["login.wait"][plural.One])
	_, err = readTables(fstest.MapFS{"messages/da.toml": {Data: []byte("x = 1")}})
	require.ErrorContains(t, err, "messages/da.toml")
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
	require.Equal(t, "Try again in 1 second.", New(language.English, nil).Count("login.wait", 1))
	require.Equal(t, "Try again in 8 seconds.", New(language.English, nil).Count("login.wait", 8))
	require.Equal(t, "Try again in −8 seconds.", New(language.English, nil).Count("login.wait", -8), "by a clock that was set back")
	require.Equal(t, "يومان", New(language.Arabic, nil).Count("validity.days", 2), "in words")
	require.Equal(t, "\u2068٣٠\u2069 يومًا", New(language.Arabic, nil).Count("validity.days", 30))
}
