package locale

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/fault"
	"airtill/internal/money"
)

// faultCalls are the functions that make faults, with the place of the code
// among their arguments.
var faultCalls = map[string]int{"New": 1, "Wrap": 2, "OnField": 1, "Told": 2, "found": 1, "numberFault": 0}

// said is a fault that some source makes.
type said struct {
	where   string
	args    int  // what is filled in
	ours    bool // speaks to people at the till, so in every language
	clashes bool // of kind Conflict
}

var code = regexp.MustCompile(`^[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*$`)

// TestEveryFaultHasItsTexts: each code that the sources use is in English, with a verb for each
// argument, and in every other language with as many; and none is there for nothing.
func TestEveryFaultHasItsTexts(t *testing.T) {
	t.Parallel()
	faults, texts := faultsOf(t), faultTexts(t)
	require.Greater(t, len(faults), 250, "the search finds them")
	for code := range texts {
		require.NotEmpty(t, faults[code], "nobody makes %s", code)
	}
	for code, all := range faults {
		for _, f := range all {
			require.NotEmpty(t, texts[code], "%s: %s has no text in internal/fault/messages.toml", f.where, code)
			require.Len(t, verbsOf(texts[code]), f.args, "%s: %s: %q", f.where, code, texts[code])
		}
	}
	for _, table := range tables()[1:] {
		for code, text := range texts {
			own, ok := table.text["fault."+code]
			ours := slices.ContainsFunc(faults[code], func(f said) bool { return f.ours })
			require.Equal(t, ours, ok, "messages/%v.toml, [fault]: %q = %q", table.tag, code, text)
			if ok {
				require.Len(t, verbsOf(own), len(verbsOf(text)), "%v %s", table.tag, code)
			}
			for _, verb := range verbsOf(own) {
				require.True(t, strings.HasSuffix(verb, "s"), "%v %s: arguments come as text, %%s", table.tag, code)
			}
		}
		for key := range table.text {
			if code, ok := strings.CutPrefix(key, "fault."); ok {
				require.NotEmpty(t, texts[code], "%v has %s, which nobody makes", table.tag, code)
			}
		}
	}
}

// faultsOf collects the faults of all sources by their codes. Invented trade, restoring and
// commands speak to operators, in English.
func faultsOf(t *testing.T) map[string][]said {
	t.Helper()
	faults := map[string][]said{}
	for _, root := range []string{"../../internal", "..", "../../cmd"} {
		require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			require.NoError(t, err)
			if entry.IsDir() && entry.Name() == "sandbox" { // speaks the upstream's language
				return filepath.SkipDir
			}
			if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.HasSuffix(path, "_templ.go") {
				return nil
			}
			operators := regexp.MustCompile(`/(cmd|harness|restore)/`).MatchString(path)
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if code, f := faultOf(file.Name.Name, call); code != "" {
						f.where, f.ours = path, !operators
						faults[code] = append(faults[code], f)
					}
				}
				return true
			})
			return nil
		}))
	}
	return faults
}

// faultOf returns the code of a call that makes a fault, "" of every other call. What is handed
// on is found where it is first spelled.
func faultOf(room string, call *ast.CallExpr) (string, said) {
	name, i := "", -1
	switch f := call.Fun.(type) {
	case *ast.Ident:
		if f.Name == "found" && room == "staff" || f.Name == "numberFault" {
			name = f.Name
		}
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && (x.Name == "fault" || x.Name == "apiclient" && f.Sel.Name == "Told") {
			name = f.Sel.Name
		}
	}
	if place, ok := faultCalls[name]; ok {
		i = place
	}
	if i < 0 || i >= len(call.Args) {
		return "", said{}
	}
	literal, ok := call.Args[i].(*ast.BasicLit)
	if !ok {
		return "", said{}
	}
	code, err := strconv.Unquote(literal.Value)
	if err != nil {
		return "", said{}
	}
	clashes := slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		kind, ok := arg.(*ast.SelectorExpr)
		return ok && kind.Sel.Name == "Conflict"
	})
	return code, said{args: len(call.Args) - i - 1, clashes: clashes}
}

// faultTexts are the English messages of faults by their codes.
func faultTexts(t *testing.T) (texts map[string]string) {
	t.Helper()
	_, err := toml.DecodeFile("../../internal/fault/messages.toml", &texts)
	require.NoError(t, err)
	return texts
}

// TestCodesAreNames, which logs, rows and tests may rely on.
func TestCodesAreNames(t *testing.T) {
	t.Parallel()
	for name := range faultTexts(t) {
		require.Regexp(t, code, name)
	}
}

func TestFault(t *testing.T) {
	t.Parallel()
	low, high := money.MustParse("5", "EUR"), money.MustParse("20.5", "EUR")
	err := fmt.Errorf("quote: %w", fault.OnField("pay", "amount.range", low, high))
	require.Equal(t, "Enter an amount from €5.00 to €20.50.", New(language.English, nil).Fault(err))
	require.Equal(t, "Escribe un importe de 5,00\u00a0€ a 20,50\u00a0€.", New(language.Spanish, nil).Fault(err))
	require.Equal(t, "Enter an amount from 5.00 EUR to 20.50 EUR.", fault.Message(err), "logs and commands speak English")
	require.Contains(t, New(language.Arabic, nil).Fault(err), "\u2068\u200f٥٫٠٠\u00a0€\u2069", "set apart from the direction around it")

	require.Equal(t, "Das gibt es nicht: 100 %", New(language.Arabic, nil).Fault(fault.Worded("cash", "Das gibt es nicht: 100 %")))
	require.Empty(t, New(language.French, nil).Fault(errors.New("secret detail")))
	require.Empty(t, New(language.French, nil).Fault(fault.New(fault.NotFound, "")))
}

func TestNoted(t *testing.T) {
	t.Parallel()
	require.Equal(t, "No se pudo entregar.", New(language.Spanish, nil).Noted("alert.undelivered"))
	require.Equal(t, "It could not be delivered.", New(language.German, nil).Noted("alert.undelivered"))
	require.Equal(t, "What was written before codes.", New(language.Spanish, nil).Noted("What was written before codes."))
	require.Empty(t, New(language.Spanish, nil).Noted(""))
}
