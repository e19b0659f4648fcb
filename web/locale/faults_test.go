package locale

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/fault"
	"airtill/internal/money"
)

// faultCalls are the functions that make faults, with the place of the message
// among their arguments.
var faultCalls = map[string]int{"New": 1, "Wrap": 2, "OnField": 1, "found": 1, "numberFault": 0, "Told": 2}

// TestEveryFaultIsInEveryLanguage reads the messages out of the rooms' sources.
// Whoever words a new fault adds it to [fault] in the message files, with every argument as %s.
func TestEveryFaultIsInEveryLanguage(t *testing.T) {
	t.Parallel()
	formats := faultFormats(t)
	require.Greater(t, len(formats), 50, "the search finds the messages")
	for _, table := range tables()[1:] {
		base, _ := table.tag.Base()
		file := "web/locale/messages/" + base.String() + ".toml"
		var missing []string
		for format, where := range formats {
			own, ok := table.text["fault."+format]
			if !ok {
				missing = append(missing, where+": "+strconv.Quote(format))
				continue
			}
			require.Len(t, verbsOf(own), len(verbsOf(format)), "%s: %q", file, own)
			for _, verb := range verbsOf(own) {
				require.True(t, strings.HasSuffix(verb, "s"), "%s: %q: arguments come as text, %%s", file, own)
			}
		}
		require.Empty(t, missing, "%s lacks these messages", file)
		for key := range table.text {
			if format, ok := strings.CutPrefix(key, "fault."); ok {
				require.NotEmpty(t, formats[format], "%s has a message that nobody makes: %q", file, format)
			}
		}
	}
}

// faultFormats collects the messages of all faults, with one place of each. The
// simulator, invented trade, restoring and commands speak to integrators and operators, in English; what is
// no sentence is for a program.
func faultFormats(t *testing.T) map[string]string {
	t.Helper()
	formats := map[string]string{}
	for _, root := range []string{"../../internal", ".."} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			require.NoError(t, err)
			if entry.IsDir() && slices.Contains([]string{"sandbox", "trade", "restore", "fault"}, entry.Name()) {
				return filepath.SkipDir
			}
			if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_templ.go") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				if format := faultFormat(n); strings.HasSuffix(format, ".") {
					formats[format] = path
				}
				return true
			})
			return nil
		})
		require.NoError(t, err)
	}
	return formats
}

// faultFormat returns the message of a call or a literal that makes a fault, ""
// for everything else.
func faultFormat(n ast.Node) string {
	switch v := n.(type) {
	case *ast.CallExpr:
		name, place := calledName(v.Fun)
		if i, ok := faultCalls[name]; ok && place != "other" && i < len(v.Args) {
			return constant(v.Args[i])
		}
	case *ast.KeyValueExpr:
		key, _ := v.Key.(*ast.Ident)
		if text := constant(v.Value); key != nil && key.Name == "Message" {
			return text
		}
	}
	return ""
}

// calledName returns the name of a function, and whether it is fault's own.
func calledName(fun ast.Expr) (name, place string) {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name, "here"
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && (x.Name == "fault" || f.Sel.Name == "Told") {
			return f.Sel.Name, "fault"
		}
	}
	return "", "other"
}

// constant returns the text of a string literal, also one in several parts.
func constant(e ast.Expr) string {
	switch v := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(v.Value) // a number is no text
		return text
	case *ast.BinaryExpr:
		return constant(v.X) + constant(v.Y)
	}
	return ""
}

func TestFault(t *testing.T) {
	t.Parallel()
	low, high := money.MustParse("5", "EUR"), money.MustParse("20.5", "EUR")
	err := fmt.Errorf("quote: %w", fault.OnField("pay", "Enter an amount from %s to %s.", low, high))
	require.Equal(t, "Enter an amount from €5.00 to €20.50.", New(language.English, nil).Fault(err))
	require.Equal(t, "Escribe un importe de 5,00\u00a0€ a 20,50\u00a0€.", New(language.Spanish, nil).Fault(err))
	require.Equal(t, "Enter an amount from 5.00 EUR to 20.50 EUR.", fault.Message(err), "logs and commands speak English")
	require.Contains(t, New(language.Arabic, nil).Fault(err), "\u2068\u200f٥٫٠٠\u00a0€\u2069", "set apart from the direction around it")

	unknown := fault.New(fault.Conflict, "Nobody translated %d.", 5)
	require.Equal(t, "Nobody translated 5.", New(language.Arabic, nil).Fault(unknown))
	require.Equal(t, "100 %", New(language.French, nil).Fault(fault.New(fault.Conflict, "%s", "100 %")))
	require.Empty(t, New(language.French, nil).Fault(errors.New("secret detail")))
}
