// Package docs_test keeps the documents true.
package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The columns of a rule's two sides hold names of tests, or one of these.
const (
	notBound = "–"
	notHeld  = "**not held**"
)

// sections are the headings of the interface document under which rules stand.
func sections() []string {
	return []string{
		"What the service does", "Response envelope", "Reference data", "Product", "Price record", "Provider", "Provider status", "Region",
		"Promotion and descriptions", "Transfer", "Estimation, cancellation and bills", "Fields not fully given", "States and transitions",
		"Endpoints", "Read endpoints", "Write and query endpoints", "EstimatePrices rules", "SendTransfer rules", "Batch rules", "Paging rules",
		"Authentication", "API key", "OAuth 2.0 client credentials", "Delivery", "Signature headers", "Verification procedure",
		"Optional payload encryption", "ResultCode", "Error codes and contexts", "Request rate per method", "Other limits", "Versioning",
	}
}

// rooms are the folders of the packages whose tests hold rules.
func rooms() map[string]string {
	return map[string]string{
		"sandbox": "internal/sandbox", "catalogue": "internal/sandbox/catalogue", "apiclient": "internal/apiclient",
		"conformance": "internal/harness/conformance", "catalog": "internal/catalog", "counter": "internal/counter", "sales": "internal/sales", "followup": "internal/followup",
		"web": "web", "pages": "web/counter", "templates": "web/templates",
	}
}

// rule is a row of the table.
type rule struct{ section, text, simulator, client string }

// readRules returns the document and the rows of its table.
func readRules(t *testing.T) (document string, rules []rule) {
	t.Helper()
	data, err := os.ReadFile("interface.md")
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		line, isRow := strings.CutPrefix(strings.TrimSpace(line), "| ")
		if !isRow || strings.HasPrefix(line, "Section |") || strings.HasPrefix(line, "---") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(line, " |"), " | ")
		require.Len(t, cells, 4, line)
		rules = append(rules, rule{cells[0], cells[1], cells[2], cells[3]})
	}
	require.NotEmpty(t, rules)
	return string(data), rules
}

// Every section has its rules, every rule somebody it binds, and every test
// that is named is there.
func TestInterfaceRulesAreHeld(t *testing.T) {
	t.Parallel()
	_, rules := readRules(t)
	tests, seen := readTests(t), map[string]bool{}
	for _, r := range rules {
		seen[r.section] = true
		require.Contains(t, sections(), r.section, r.text)
		require.NotEqual(t, []string{notBound, notBound}, []string{r.simulator, r.client}, "%q binds nobody", r.text)
		for _, side := range []string{r.simulator, r.client} {
			if side != notHeld && side != notBound {
				require.NoError(t, tests.named(side), r.text)
			}
		}
	}
	for _, section := range sections() {
		require.True(t, seen[section], "no rule of section %q", section)
	}
}

// What nothing holds stands at the top, counted.
func TestInterfaceRulesNotHeldAreListed(t *testing.T) {
	t.Parallel()
	document, rules := readRules(t)
	var open []string
	for _, r := range rules {
		for who, side := range map[string]string{"simulator": r.simulator, "client": r.client} {
			if side == notHeld {
				open = append(open, fmt.Sprintf("- %s, %s: %s", r.section, who, r.text))
			}
		}
	}
	count := regexp.MustCompile(`(?m)^Not held: (\d+)\.$`).FindStringSubmatch(document)
	require.NotNil(t, count)
	require.Equal(t, strconv.Itoa(len(open)), count[1])
	require.ElementsMatch(t, open, regexp.MustCompile(`(?m)^- .*$`).FindAllString(document, -1))
}

// sources are the tests of each package: its functions, with the texts in their files.
type sources map[string]map[string]string

// named finds the tests of a cell: `package.TestName` or
// `package.TestName/subtest`, one after another.
func (s sources) named(cell string) error {
	for name := range strings.SplitSeq(cell, ", ") {
		bare := strings.Trim(name, "`")
		if name != "`"+bare+"`" {
			return fmt.Errorf("%q is not the name of a test in backquotes", name)
		}
		test, subtest, _ := strings.Cut(bare, "/")
		room, function, _ := strings.Cut(test, ".")
		texts, found := s[room][function]
		if !found {
			return fmt.Errorf("there is no test %s in package %q", function, room)
		}
		if subtest != "" && !strings.Contains(texts, "\x00"+subtest+"\x00") {
			return fmt.Errorf("%s has no subtest %q", test, subtest)
		}
	}
	return nil
}

func readTests(t *testing.T) sources {
	t.Helper()
	all := sources{}
	for room, folder := range rooms() {
		files, err := filepath.Glob(filepath.Join("..", folder, "*_test.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, folder)
		all[room] = map[string]string{}
		for _, file := range files {
			readFile(t, file, all[room])
		}
	}
	return all
}

// readFile adds the test and fuzz functions of a file.
func readFile(t *testing.T, path string, into map[string]string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	texts := "\x00" + strings.Join(literals(file), "\x00") + "\x00"
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if ok && function.Recv == nil && (strings.HasPrefix(function.Name.Name, "Test") || strings.HasPrefix(function.Name.Name, "Fuzz")) {
			into[function.Name.Name] = texts
		}
	}
}

// literals returns the texts that stand in a file. Subtests are named by tables
// that need not be in the function itself.
func literals(file *ast.File) (texts []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				texts = append(texts, text)
			}
		}
		return true
	})
	return texts
}
