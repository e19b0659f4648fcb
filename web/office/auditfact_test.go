package office

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/followup"
	"airtill/internal/pricing"
	"airtill/internal/receipt"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
)

// TestEveryFieldOfTheAuditHasAName: a room's new field would be called by what
// programs write.
func TestEveryFieldOfTheAuditHasAName(t *testing.T) {
	t.Parallel()
	found := []string{"because"} // entries of before hold it for ever
	for _, kept := range []any{pricing.Rate{}, receipt.Printer{}, staff.Shop{}, staff.Till{}, sales.ModeRule{}, followup.Verdict{}} {
		var fields map[string]any
		text, err := json.Marshal(kept)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &fields))
		for field := range fields {
			found = append(found, field)
		}
	}
	blocks := regexp.MustCompile(`(?s)(?:(?:Before|After): (?:map\[string\][a-z]+|columns)\{(.*?)\}|\) [fF]acts\([a-z ]*\)(.*?)\n\})`)
	literals := regexp.MustCompile(`"([a-zA-Z_ -]+)"(?::|\] =)`)
	files, err := filepath.Glob("../../internal/*/*.go")
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.HasSuffix(file, "_test.go") || !strings.Contains(string(source), "audit") && !strings.Contains(strings.ToLower(string(source)), ") facts(") {
			continue
		}
		for _, block := range blocks.FindAllStringSubmatch(string(source), -1) {
			for _, literal := range literals.FindAllStringSubmatch(block[1]+block[2], -1) {
				found = append(found, literal[1])
			}
		}
	}
	var names []string
	k := auditWords{l: locale.New(language.English, nil)}
	for _, field := range found {
		if nameless(field) != "id" {
			require.Contains(t, k.field(field), k.l.Text("audit.fact."+known(field)), "%s has no name", field)
			names = append(names, known(field))
		}
	}
	slices.Sort(names)
	require.Equal(t, slices.Compact(names), auditFacts, "a name of no field")
}

func TestEveryWordOfTheAuditHasAName(t *testing.T) {
	t.Parallel()
	l := locale.New(language.English, nil)
	for field, words := range auditValues {
		require.Contains(t, auditFacts, field)
		for word, key := range words {
			require.NotEqual(t, key, l.Text(key), "%s %s", field, word)
		}
	}
}

func TestWhatWasKeptIsToldForPeople(t *testing.T) {
	t.Parallel()
	dublin, err := time.LoadLocation("Europe/Dublin")
	require.NoError(t, err)
	names := frame.ReportNames{People: map[string]string{"01U": "Ana"}, Shops: map[string]string{"01S": "Main Street"}, Tills: map[string]string{"01T": "Till 1"}, Sold: report.Names{}}
	for _, test := range []struct{ tag, before, after, was, is string }{
		{"en", ``, `{"disabled":false,"displayName":"Ana","locale":"","role":"cashier","shop":"01S","username":"ana"}`, "", "Disabled: No\nRole: Cashier\nShop: Main Street\nShown as: Ana\nUsername: ana"},
		{"en", `{"name":"Main St","tax_id":"IE1","address":"x"}`, `{"name":"Main Street","tax_id":"IE1","address":"x"}`, "Name: Main St", "Address: x\nName: Main Street\nTax number: IE1"},
		{"en", `"Till 1"`, `"Front"`, "Till 1", "Front"},
		{"en", `true`, `false`, "Yes", "No"},
		{"en", `{"user":"01U"}`, `{"user":"01X"}`, "Person: Ana", "Person: 01X"},
		{"en", ``, `{"ID":"01R","ValidFrom":"2026-07-01T12:00:00Z","DecidedAt":null,"EnteredAt":"0001-01-01T00:00:00Z","Rate":"1.17"}`, "", "Rate: 1.17\nValid from: 1 Jul 2026, 13:00"},
		{"en", ``, `{"counts":2,"difference":"-0.30 EUR"}`, "", "Difference: −€0.30\nTimes counted: 2"},
		{"en", ``, `{"facts":["12.50 EUR","a"],"unheard_of":7}`, "", "What was so: €12.50, a\nunheard_of: 7"},
		{"en", ``, `{"broken`, "", `{"broken`},
		{"en", `{"shop":"01S","subject":"number","period":"day","measure":"count","most":"3"}`, `{"shop":"01S","subject":"number","period":"day","measure":"count","most":"4"}`, "At most: 3", "At most: 4\nLimit: Sales to one number in a day\nShop: Main Street"},
		{"en", ``, `{"allowed":"limit","because":"limit per number and day reached: 1 of 1"}`, "", "Allowed: A limit is reached\nBecause: limit per number and day reached: 1 of 1"},
		{"en", ``, `{"subject":"unheard","period":"day"}`, "", "Of: unheard\nWithin: day"},
		{"en", ``, `{"rule":"float_low","tier":"critical","facts":["12.50 EUR"]}`, "", "Rule: The float upstream is low: €12.50.\nUrgency: Alert"},
		{"en", ``, `{"kind":"expense","amount":"4.00 EUR","approver":"01U"}`, "", "Amount: €4.00\nApproved by: Ana\nKind: Paid for something the shop needs"},
		{"en", ``, `{"kind":"cash_short","resolution":"writeoff","account":"5900"}`, "", "Account: 5900 Losses\nKind: Drawer short\nResolution: Write it off"},
		{"en", ``, `{"kind":"pin","way":"percent","below cost":"allowed"}`, "", "Below cost: Yes\nKind: PINs\nPricing: Percent on top"},
		{"en", ``, `{"path":"/reports/margin?by=day","every":"week","format":"csv","locale":"fr"}`, "", "File: CSV\nHow often: each Monday\nLanguage: Français\nReport: Margin (/reports/margin?by=day)"},
		{"en", ``, `{"path":"/reports/%zz","allowed":"limit","slip":"refund","copy":"shop"}`, "", "Allowed: A limit is reached\nCopy: the shop's\nPaper: Refund slip\nReport: /reports/%zz"},
		{"en", ``, `{"act":"/sales","verdict":"failed","scope":"product","mode":"defer"}`, "", "Decision: It was not carried out\nScope: Product\nWay: Deferred\nWhat for: A sale that was stopped"},
		{"ar", ``, `{"role":"admin"}`, "", "الدور: مسؤول النظام"},
	} {
		k := auditWords{locale.New(language.MustParse(test.tag), dublin), names}
		was, is := k.change(test.before, test.after)
		require.Equal(t, test.was, was, test.before)
		require.Equal(t, test.is, is, test.after)
	}
}
