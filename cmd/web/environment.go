package main

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"airtill/internal/app"
)

// variables are the names that the till reads, but for those of NAME_FILE.
func variables() []string {
	var all []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[app.Config]()) {
		if name := field.Tag.Get("env"); name != "" {
			all = append(all, name)
		}
	}
	return all
}

// withoutLineEnds drops line ends from values. A .env from Windows, read by a shell, leaves one behind each: a path
// would be another database, and a secret wrong for no reason that one can see.
func withoutLineEnds(environ map[string]string) map[string]string {
	all := make(map[string]string, len(environ))
	for name, value := range environ {
		all[name] = strings.TrimRight(value, "\r\n")
	}
	return all
}

// checkSigns refuses values with something else that nobody sees.
func checkSigns(given map[string]string) error {
	const byteOrderMark = '\ufeff'
	unseen := func(r rune) bool { return unicode.IsControl(r) || r == byteOrderMark }
	var problems []error
	for _, name := range variables() {
		switch value := given[name]; {
		case strings.ContainsFunc(value, unseen):
			problems = append(problems, fmt.Errorf("%s holds a sign that is not seen; write it anew, and save its "+
				"file as plain text without a byte order mark", name))
		case strings.TrimSpace(value) != value:
			problems = append(problems, fmt.Errorf("%s begins or ends with a space; remove it", name))
		}
	}
	return errors.Join(problems...)
}
