package docs_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// mutant is an entry of mutants.txt: one rule broken on purpose, in one place.
type mutant struct {
	id       string
	of       rule
	file     string
	old, new string
	source   string // of the file, as it is
}

// tests are those of the side that the mutant breaks.
func (m *mutant) tests() []string {
	cell := m.of.client
	if strings.HasPrefix(m.file, "internal/sandbox/") {
		cell = m.of.simulator
	}
	return strings.Split(strings.ReplaceAll(cell, "`", ""), ", ")
}

// readMutants returns the mutants of mutants.txt, and the rules without one.
func readMutants(t *testing.T) (all []*mutant, without []rule) {
	t.Helper()
	_, rules := readRules(t)
	data, err := os.ReadFile("mutants.txt")
	require.NoError(t, err)
	has := map[rule]bool{}
	entry := regexp.MustCompile(`(?m)^= (.*) \| (.*)\n(\S+)\n((?:- .*\n)+)((?:\+ .*\n)*)`)
	matches := entry.FindAllStringSubmatch(string(data), -1)
	require.Len(t, matches, strings.Count("\n"+string(data), "\n= "), "an entry of mutants.txt is not in the form its head shows")
	for i, match := range matches {
		at := slices.IndexFunc(rules, func(r rule) bool { return r.section == match[1] && r.text == match[2] })
		require.NotEqual(t, -1, at, "mutants.txt: there is no rule %q in %q", match[2], match[1])
		source, err := os.ReadFile(filepath.Join("..", match[3]))
		require.NoError(t, err)
		unprefixed := func(s, prefix string) string {
			return strings.TrimSuffix(strings.ReplaceAll("\n"+s, "\n"+prefix, "\n"), "\n")[1:]
		}
		m := &mutant{id: strconv.Itoa(i + 1), of: rules[at], file: match[3], old: unprefixed(match[4], "- "), source: string(source)}
		if match[5] != "" {
			m.new = unprefixed(match[5], "+ ")
		}
		require.Equal(t, 1, strings.Count(m.source, m.old), "%s: %q does not stand once in %s", m.of.text, m.old, m.file)
		require.NotContains(t, m.tests(), notBound, "%s: no test of that side", m.of.text)
		has[m.of] = true
		all = append(all, m)
	}
	for _, r := range rules {
		if !has[r] {
			without = append(without, r)
		}
	}
	return all, without
}

// Each mutant fits the code as it is, and the rules without one are counted.
func TestMutantsFit(t *testing.T) {
	t.Parallel()
	all, without := readMutants(t)
	document, _ := readRules(t)
	counts := regexp.MustCompile(`(?m)^Mutants: .*$`).FindString(document)
	require.Equal(t, fmt.Sprintf("Mutants: %d; rules without one: %d.", len(all), len(without)), counts, "%q", without)
}

// Each mutant is killed: with that rule broken, a test that is named for it
// fails. MUTANTS says which: an expression for "Section | Rule", or how many are
// drawn at random.
func TestMutantsAreKilled(t *testing.T) {
	wanted := os.Getenv("MUTANTS")
	if wanted == "" {
		t.Skip("set MUTANTS to run (make mutants)")
	}
	all, _ := readMutants(t)
	if n, err := strconv.Atoi(wanted); err == nil {
		all = sample(t, all, n)
	} else {
		which := regexp.MustCompile(wanted)
		all = slices.DeleteFunc(all, func(m *mutant) bool { return !which.MatchString(m.of.section + " | " + m.of.text) })
	}
	programs := build(t, all)
	for room, tests := range byRoom(all) {
		output, err := programs.run(t, room, "^("+strings.Join(tests, "|")+")$", "")
		require.NoError(t, err, "without a mutant: %s", output)
	}
	var mu sync.Mutex
	var lived []string
	var group sync.WaitGroup
	places := make(chan struct{}, runtime.NumCPU())
	for _, m := range all {
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			if !programs.kills(t, m) {
				mu.Lock()
				defer mu.Unlock()
				lived = append(lived, fmt.Sprintf("%s | %s\n\t%q -> %q\n\tlets live: %s", m.of.section, m.of.text, m.old, m.new, m.tests()))
			}
		})
	}
	group.Wait()
	t.Logf("%d of %d mutants killed", len(all)-len(lived), len(all))
	require.Empty(t, lived, strings.Join(lived, "\n"))
}

// sample draws mutants that the quick packages kill.
func sample(t *testing.T, all []*mutant, n int) []*mutant {
	t.Helper()
	quick := []string{"sandbox", "catalogue", "apiclient", "conformance"}
	all = slices.DeleteFunc(all, func(m *mutant) bool {
		return slices.ContainsFunc(m.tests(), func(name string) bool { room, _, _ := strings.Cut(name, "."); return !slices.Contains(quick, room) })
	})
	seed := rand.Uint64()
	t.Logf("drawn with seed %d", seed)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// byRoom returns the test functions that mutants need, by package.
func byRoom(all []*mutant) map[string][]string {
	rooms := map[string][]string{}
	for _, m := range all {
		for _, name := range m.tests() {
			room, rest, _ := strings.Cut(name, ".")
			function, _, _ := strings.Cut(rest, "/")
			if !slices.Contains(rooms[room], function) {
				rooms[room] = append(rooms[room], function)
			}
		}
	}
	return rooms
}

// programs is the folder of the test programs, one of each package with all
// mutants in it, asleep.
type programs string

// kills says whether a test of the mutant's fails with it.
func (p programs) kills(t *testing.T, m *mutant) bool {
	t.Helper()
	return slices.ContainsFunc(m.tests(), func(name string) bool {
		room, rest, _ := strings.Cut(name, ".")
		var pattern []string
		for part := range strings.SplitSeq(rest, "/") {
			pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
		}
		_, err := p.run(t, room, strings.Join(pattern, "/"), m.id)
		return err != nil
	})
}

// run runs tests of a package with a mutant awake, or with none.
func (p programs) run(t *testing.T, room, pattern, mutant string) ([]byte, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(string(p), room+".test"), "-test.run", pattern, "-test.timeout", "5m")
	if mutant != "" {
		command.Args = append(command.Args, "-test.failfast", "-test.timeout", "1m")
	}
	command.Dir = filepath.Join("..", rooms()[room])
	command.Env = append(os.Environ(), "MUTANT="+mutant)
	return command.CombinedOutput()
}

// build makes the test programs: in an overlay, each function with mutants
// first asks whether one of them is awake.
func build(t *testing.T, all []*mutant) programs {
	t.Helper()
	folder := t.TempDir()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	replace := map[string]string{}
	put := func(name, text string) {
		path := filepath.Join(folder, strings.ReplaceAll(name, "/", "-"))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		replace[filepath.Join(root, name)] = path
	}
	byFile := map[string][]*mutant{}
	for _, m := range all {
		byFile[m.file] = append(byFile[m.file], m)
	}
	for file, mutants := range byFile {
		name, text := infect(t, mutants)
		put(file, text)
		put(filepath.Join(filepath.Dir(file), "mutantawake.go"), "package "+name+"\n\nimport \"os\"\n\nvar mutantAwake = os.Getenv(\"MUTANT\")\n")
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	path := filepath.Join(folder, "overlay.json")
	require.NoError(t, os.WriteFile(path, overlay, 0o600))
	command := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", path, "-o", folder)
	for room := range byRoom(all) {
		command.Args = append(command.Args, "./"+rooms()[room])
	}
	command.Dir = root
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return programs(folder)
}

// infect returns a file's source with its mutants in it: beside each function a
// copy with the change, to which the function gives way when it is awake.
func infect(t *testing.T, mutants []*mutant) (name, text string) {
	t.Helper()
	source := mutants[0].source
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, mutants[0].file, source, parser.ParseComments)
	require.NoError(t, err)
	at := func(p token.Pos) int { return files.Position(p).Offset }
	edits := map[int]string{} // what is put in, by where
	copies := ""
	for _, m := range mutants {
		from := strings.Index(source, m.old)
		function := enclosing(file, at, from, from+len(m.old))
		require.NotNil(t, function, "%s: %q stands in no function", m.file, m.old)
		copied := function.Name.Name + "Mutant" + m.id
		copies += "\n\n" + source[at(function.Pos()):at(function.Name.Pos())] + copied +
			source[at(function.Name.End()):from] + m.new + source[from+len(m.old):at(function.End())]
		call := copied
		if kinds := function.Type.TypeParams; kinds != nil { // which parameters alone may not tell
			call += "[" + strings.Join(named(kinds, "", at, edits), ", ") + "]"
		}
		call += "(" + strings.Join(named(function.Type.Params, "p", at, edits), ", ") + ")"
		if function.Recv != nil {
			call = named(function.Recv, "r", at, edits)[0] + "." + call
		}
		if function.Type.Results != nil {
			call = "return " + call
		} else {
			call += "; return"
		}
		edits[at(function.Body.Lbrace)+1] += " if mutantAwake == \"" + m.id + "\" { " + call + " }; "
	}
	for _, offset := range slices.Backward(slices.Sorted(maps.Keys(edits))) {
		source = source[:offset] + edits[offset] + source[offset:]
	}
	return file.Name.Name, source + copies + "\n"
}

// enclosing finds the function around a piece of source.
func enclosing(file *ast.File, at func(token.Pos) int, from, to int) *ast.FuncDecl {
	for _, declaration := range file.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && f.Body != nil && at(f.Body.Lbrace) < from && to <= at(f.End()) {
			return f
		}
	}
	return nil
}

// named returns the arguments that pass on a function's parameters; those
// without a name are given one.
func named(fields *ast.FieldList, prefix string, at func(token.Pos) int, edits map[int]string) (names []string) {
	for i, field := range fields.List {
		dots := ""
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			dots = "..."
		}
		if len(field.Names) == 0 {
			name := prefix + strconv.Itoa(i)
			edits[at(field.Type.Pos())] = name + " "
			names = append(names, name+dots)
		}
		for j, ident := range field.Names {
			name := ident.Name
			if name == "_" { // becomes _p0
				name = fmt.Sprintf("_%s%d%d", prefix, i, j)
				edits[at(ident.End())] = name[1:]
			}
			names = append(names, name+dots)
		}
	}
	return names
}
