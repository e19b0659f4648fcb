package locale

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// files are the messages, a file for each language, named by its tag.
//
//go:embed messages/*.toml *.toml
var files embed.FS

// data reads a file of this package when it is first asked for.
func data[T any](name string) func() T {
	return sync.OnceValue(func() (all T) {
		if _, err := toml.DecodeFS(files, name, &all); err != nil {
			panic(err) // the files are part of the program
		}
		return all
	})
}

// table is the messages of one language.
type table struct {
	tag language.Tag
	// text has every message; of a counted one the plural form for all other numbers.
	text map[string]string
	// forms has the further plural forms of counted messages.
	forms map[string]plurals
}

// plurals are the forms of a counted message, at the index of their plural.Form.
type plurals [plural.Many + 1]string

// tables lists the languages with texts of their own; the first is English, the
// fallback. The files are part of the program: one that cannot be read is a
// programming error.
var tables = sync.OnceValue(func() []*table {
	read, err := readTables(files)
	if err != nil {
		panic(err)
	}
	return read
})

// readTables reads every file of messages, English first, the others by name.
func readTables(from fs.FS) ([]*table, error) {
	paths, err := fs.Glob(from, "messages/*.toml")
	if err != nil {
		return nil, err
	}
	read := make([]*table, len(paths))
	for i, path := range paths {
		if read[i], err = readTable(from, path); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	rank := func(t *table) string {
		if t.tag == language.English {
			return ""
		}
		return t.name()
	}
	slices.SortFunc(read, func(a, b *table) int { return strings.Compare(rank(a), rank(b)) })
	return read, nil
}

// english is the fallback of every language, so it has every key.
func english() *table { return tables()[0] }

// name is what the language calls itself.
func (t *table) name() string { return t.text["language.name"] }

func readTable(from fs.FS, path string) (*table, error) {
	source, err := fs.ReadFile(from, path)
	if err != nil {
		return nil, err
	}
	formats := map[string]i18n.UnmarshalFunc{"toml": toml.Unmarshal}
	file, err := i18n.ParseMessageFileBytes(source, path, formats)
	if err != nil {
		return nil, err
	}
	t := &table{tag: file.Tag, text: make(map[string]string, len(file.Messages)), forms: map[string]plurals{}}
	for _, m := range file.Messages {
		t.text[m.ID] = m.Other
		forms := plurals{
			plural.Zero: m.Zero, plural.One: m.One, plural.Two: m.Two, plural.Few: m.Few, plural.Many: m.Many,
		}
		if forms != (plurals{}) {
			t.forms[m.ID] = forms
		}
	}
	return t, nil
}

// textsFor picks the table of a tag's language, English if there is none.
func textsFor(tag language.Tag) table {
	base, _ := tag.Base()
	for _, t := range tables() {
		if other, _ := t.tag.Base(); other == base {
			return *t
		}
	}
	return *english()
}
