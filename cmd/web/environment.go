package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
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

// checkVisible refuses values with other invisible characters.
func checkVisible(given map[string]string) error {
	const byteOrderMark = '\ufeff'
	unseen := func(r rune) bool { return unicode.IsControl(r) || r == byteOrderMark }
	var problems []error
	for _, name := range variables() {
		switch value := given[name]; {
		case strings.ContainsFunc(value, unseen):
			problems = append(problems, fmt.Errorf("%s contains an invisible character; type it again, and save its "+
				"file as plain text without a byte order mark", name))
		case strings.TrimSpace(value) != value:
			problems = append(problems, fmt.Errorf("%s begins or ends with a space; remove it", name))
		}
	}
	return errors.Join(problems...)
}

// mistyped are variables that are not read and almost have the name of one that is, like MAIL_FORM (MAIL_FROM?).
func mistyped(environ map[string]string) []string {
	known := variables()
	for _, name := range fromFiles() {
		known = append(known, name+"_FILE")
	}
	var all []string
	for name := range environ {
		meant := slices.IndexFunc(known, func(other string) bool { return almost(name, other) })
		if meant >= 0 && !slices.Contains(known, name) {
			all = append(all, fmt.Sprintf("%s (%s?)", name, known[meant]))
		}
	}
	slices.Sort(all)
	return all
}

const mostSlips = 2 // of the keyboard

func almost(name, other string) bool {
	return name+"_FILE" == other || name == other+"_FILE" || slips(name, other) <= mostSlips
}

// slips counts the letters that are put in, left out or put in the place of another.
func slips(name, other string) int {
	row := make([]int, len(other)+1) // from what was read of name to each beginning of other
	for to := range row {
		row[to] = to
	}
	for from := range len(name) {
		next := []int{from + 1}
		for to := range len(other) {
			same := row[to]
			if name[from] != other[to] {
				same++
			}
			next = append(next, min(same, row[to+1]+1, next[to]+1))
		}
		row = next
	}
	return row[len(other)]
}

// notRead says which variables were probably meant to be others.
func (c config) notRead() error {
	if len(c.mistyped) == 0 {
		return nil
	}
	return fmt.Errorf("not read, since no variable has that name: %s", strings.Join(c.mistyped, ", "))
}
