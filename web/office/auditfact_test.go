package office

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/alert"
	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/money"
	"airtill/internal/pricing"
	"airtill/internal/receipt"
	"airtill/internal/reconcile"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/internal/till"
	"airtill/web/frame"
	"airtill/web/locale"
)

// formerEntries are real ones, of each room that wrote facts before they had kinds.
func formerEntries(t *testing.T) (records []audit.Record) {
	t.Helper()
	stored, err := os.ReadFile("../../internal/audit/testdata/former.jsonl")
	require.NoError(t, err)
	for lines := bufio.NewScanner(bytes.NewReader(stored)); lines.Scan(); {
		var r audit.Record
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
		records = append(records, r)
	}
	return records
}

// writtenFacts are the names of all facts that rooms write, and whether they are words.
func writtenFacts(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{"shop": false, "till": false} // AtShop and AtTill
	constructors := []string{"Text", "Word", "Money", "Count", "YesNo", "Time", "Day", "Person"}
	require.NoError(t, filepath.WalkDir("../../internal", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			made, ok := call.Fun.(*ast.SelectorExpr)
			if of, room := call.Fun.(*ast.SelectorExpr); !ok || !room || fmt.Sprint(of.X) != "audit" || !slices.Contains(constructors, made.Sel.Name) {
				return true
			}
			spelled, ok := call.Args[0].(*ast.BasicLit)
			require.True(t, ok, "%s: the name of a fact is spelled out, so that a label is sure to be there", path)
			name, err := strconv.Unquote(spelled.Value)
			require.NoError(t, err)
			names[name] = names[name] || made.Sel.Name == "Word"
			return true
		})
		return err
	}))
	require.Greater(t, len(names), 40)
	return names
}

// TestEveryFactHasALabel: in every language, and no label is of nothing.
func TestEveryFactHasALabel(t *testing.T) {
	t.Parallel()
	facts := writtenFacts(t)
	facts["because"] = false // entries of before hold it for ever
	for _, r := range formerEntries(t) {
		told, err := r.Facts()
		require.NoError(t, err)
		for _, f := range told {
			facts[f.Name] = facts[f.Name] || f.Kind == audit.AsWord
		}
	}
	for _, tongue := range locale.Languages() {
		l := locale.New(language.MustParse(tongue.Tag), nil)
		for name := range facts {
			require.NotEqual(t, "audit.fact."+name, l.Text("audit.fact."+name), "no label in %s", tongue.Tag)
		}
	}
	english, err := os.ReadFile("../locale/messages/en.toml")
	require.NoError(t, err)
	require.Equal(t, len(facts), strings.Count(string(english), "\n\"audit.fact."), "a label of no fact")
	for name := range auditGroups {
		require.True(t, facts[name], "words of no fact: %s", name)
	}
}

func TestEveryWordOfTheAuditHasAName(t *testing.T) {
	t.Parallel()
	named := func(field string, words ...string) {
		for _, word := range words {
			require.NotEqual(t, word, told(t, "en").word(field, word), field)
		}
	}
	for stop, key := range frame.StopNames {
		require.NotEqual(t, key, told(t, "en").word("allowed", stop))
	}
	named("account", texts(reconcile.JournalAccounts())...)
	named("copy", string(receipt.Customers), string(receipt.Shops))
	named("every", frame.MailEvery...)
	named("kind", texts(reconcile.Kinds())...)
	named("kind", texts(catalog.Kinds())...)
	named("kind", string(till.PaidIn), string(till.ToSafe), string(till.Expense), string(till.ExpenseBack))
	named("mode", string(sales.Wait), string(sales.Deferred))
	named("resolution", texts([]reconcile.Resolution{
		reconcile.Faded, reconcile.Agreed, reconcile.Matched, reconcile.Journal, reconcile.WriteOff, reconcile.TopUp, reconcile.Foreign,
	})...)
	named("scope", string(sales.ScopeProvider), string(sales.ScopeProduct))
	named("slip", string(receipt.Receipt), string(receipt.Waiting), string(receipt.Refund))
	named("tier", string(alert.Warning), string(alert.Critical))
	named("verdict", string(sales.Complete), string(sales.Failed))
	named("way", texts(pricing.Ways())...)
}

func texts[W ~string](words []W) []string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = string(word)
	}
	return all
}

func told(t *testing.T, tag string) auditWords {
	t.Helper()
	dublin, err := time.LoadLocation("Europe/Dublin")
	require.NoError(t, err)
	return auditWords{locale.New(language.MustParse(tag), dublin), frame.ReportNames{
		Names: frame.Names{
			People: map[string]string{"01U": "Ana"}, Shops: map[string]string{"01S": "Main Street"}, Tills: map[string]string{"01T": "Till 1"},
		},
		Sold:      report.Names{Products: map[string]string{"SKU": "Ten euro"}, Providers: map[string]string{"LUIE": "Luma"}},
		Countries: map[string]string{"IE": "Ireland"},
	}}
}

// TestFormerEntriesAreToldForPeople shows every writer's entries of before as a reader of
// English sees them.
func TestFormerEntriesAreToldForPeople(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, r := range formerEntries(t) {
		was, is := told(t, "en").change(r)
		fmt.Fprintf(&all, "%s\n", actName(told(t, "en").l, r.Act))
		for _, side := range []struct{ mark, text string }{{"-", was}, {"+", is}} {
			for line := range strings.Lines(side.text) {
				fmt.Fprintf(&all, "  %s %s\n", side.mark, strings.TrimSpace(line))
			}
		}
	}
	const kept = "testdata/former.txt"
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(kept, []byte(all.String()), 0o600))
	}
	want, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Equal(t, string(want), all.String())
}

func TestFactsAreToldForPeople(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for want, fact := range map[string]audit.Fact{
		"Name: 12.50 EUR":                         audit.Text("name", "12.50 EUR"),
		"Amount: −€12.50":                         audit.Money("amount", money.Of(-12_500_000, "EUR")),
		"Rows: 12,345":                            audit.Count("rows", 12345),
		"Disabled: No":                            audit.YesNo("disabled", false),
		"Valid from: 1 Jul 2026, 13:00":           audit.Time("validfrom", noon),
		"Starts: 31 Mar 2026":                     audit.Day("starts", "2026-03-31"),
		"Allowed by: Ana":                         audit.Person("approver", "01U"),
		"Allowed by: 01X":                         audit.Person("approver", "01X"),
		"Shop: Main Street":                       audit.AtShop("01S"),
		"Till: Till 1":                            audit.AtTill("01T"),
		"Role: Cashier":                           audit.Word("role", staff.Cashier),
		"Limit: Sales to one number in a day":     audit.Word("limit", "number/day/count"),
		"Limit: of a later version":               audit.Word("limit", "of a later version"),
		"Rule: The float is low: €12.50.":         audit.Word("rule", "float_low\n12.50 EUR"),
		"Kind: Drawer short":                      audit.Word("kind", "cash_short"),
		"Kind: Paid for something for the shop":   audit.Word("kind", "expense"),
		"Kind: PINs":                              audit.Word("kind", "pin"),
		"Kind: Other":                             audit.Word("kind", catalog.KindOther),
		"Account: 5900 Losses":                    audit.Word("account", "5900"),
		"What for: A sale that was stopped":       audit.Word("act", "sale"),
		"What for: Role changed":                  audit.Word("act", audit.UserRoleChanged),
		"Report: Margin (/reports/margin?by=day)": audit.Word("path", "/reports/margin?by=day"),
		"Report: /reports/%zz":                    audit.Word("path", "/reports/%zz"),
		"File: CSV":                               audit.Word("format", "csv"),
		"Language: Français":                      audit.Word("locale", "fr"),
		"Country: Ireland":                        audit.Word("country", "IE"),
		"Provider: Luma":                          audit.Word("provider", "LUIE"),
		"SKU: Ten euro":                           audit.Word("sku", "SKU"),
		"unheard: 7":                              {Name: "unheard", Kind: audit.AsCount, After: "7"},
		"Rows: many":                              {Name: "rows", Kind: audit.AsCount, After: "many"},
		"Amount: much":                            {Name: "amount", Kind: audit.AsMoney, After: "much"},
		"Ends: late":                              {Name: "ends", Kind: audit.AsTime, After: "late"},
		"Times counted: 2":                        audit.Count("counts", 2),
	} {
		k := told(t, "en")
		require.Equal(t, want, k.line(fact, fact.After))
	}
	k := told(t, "ar")
	require.Equal(t, "الدور: مسؤول النظام", k.line(audit.Fact{Name: "role", Kind: audit.AsWord}, "admin"))
	was, is := told(t, "en").change(audit.Record{After: `{"broken`, Before: "x"})
	require.Equal(t, []string{"x", `{"broken`}, []string{was, is}, "what was tampered with is shown")
}

func TestSubjectsHaveNames(t *testing.T) {
	t.Parallel()
	admin := staff.User{Role: staff.Admin}
	for subject, want := range map[audit.Subject][3]string{
		"user:01U":      {"Ana", "Person", "/admin/people/01U"},
		"shop:01S":      {"Main Street", "Shop", "/admin/shops/01S"},
		"shop:":         {"Shop", "", "/admin/audit?subject=shop%3A"},
		"till:01T":      {"Till 1", "Till", "/admin/audit?subject=till%3A01T"},
		"product:SKU":   {"Ten euro", "Product", "/admin/audit?subject=product%3ASKU"},
		"provider:LUIE": {"Luma", "Provider", "/admin/audit?subject=provider%3ALUIE"},
		"sale:01X":      {"Sale", "01X", "/sales/01X"},
		"sales":         {"Sales", "", "/admin/audit?subject=sales"},
		"books:events":  {"Books", "Changes of sales", "/admin/audit?subject=books%3Aevents"},
		"setup:webhook": {"Setup", "Webhooks", "/admin/audit?subject=setup%3Awebhook"},
		"moon:1":        {"Something else", "1", "/admin/audit?subject=moon%3A1"},
	} {
		cell := told(t, "en").subjectCell(admin, subject)
		require.Equal(t, want, [3]string{cell.Text, cell.Hint, cell.URL})
	}
	english := locale.New(language.English, nil)
	source, err := parser.ParseFile(token.NewFileSet(), "../../internal/audit/subject.go", nil, 0)
	require.NoError(t, err)
	things := 0
	ast.Inspect(source, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			require.NotEqual(t, "audit.thing."+text, english.Text("audit.thing."+text))
			things++
		}
		return true
	})
	require.Greater(t, things, 15)
}

// TestRatesAndValuesOfPricesAreNumbersOfTheReader, and no others are taken for one.
func TestRatesAndValuesOfPricesAreNumbersOfTheReader(t *testing.T) {
	t.Parallel()
	facts := audit.Facts{audit.Text("rate", "1.125"), audit.Text("value", "-2.5"), audit.Text("reference", "1.125")}
	after, err := json.Marshal(facts)
	require.NoError(t, err)
	for tag, want := range map[string][]string{
		"en": {"1.125", "-2.5", "1.125"}, "fr": {"1,125", "-2,5", "1.125"}, "ar": {"١٫١٢٥", "-٢٫٥", "1.125"},
	} {
		_, is := auditWords{l: locale.New(language.MustParse(tag), nil)}.change(audit.Record{After: string(after)})
		for i, line := range strings.Split(is, "\n") {
			require.True(t, strings.HasSuffix(line, ": "+want[i]), "%s: %s", tag, line)
		}
	}
}
