package office

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"airtill/internal/limit"

	"airtill/internal/alert"
	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/catalog"
	"airtill/internal/receipt"
	"airtill/internal/reconcile"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/till"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// auditValues are the fields of the audit that hold words of programs, with the keys
// of what these are called. A role, a kind, a language, a report and a limit have
// names of their own.
var auditValues = map[string]map[string]string{
	"account":   keyed("break.account.", reconcile.JournalAccounts()),
	"allowed":   frame.StopNames,
	"belowcost": {"allowed": "office.yes"},
	"copy":      plain(frame.CopyNames),
	"every":     mailKeys(),
	"kind":      kindKeys(),
	"mode":      plain(modeNames),
	"resolution": keyed("break.how.", []reconcile.Resolution{
		reconcile.Faded, reconcile.Agreed, reconcile.Matched, reconcile.Journal, reconcile.WriteOff, reconcile.TopUp,
		reconcile.Foreign,
	}),
	"scope": plain(scopeNames),
	"slip": {
		string(receipt.Receipt): "audit.slip.receipt", string(receipt.Waiting): "audit.slip.waiting",
		string(receipt.Refund): "audit.slip.refund",
	},
	"tier":    {string(alert.Warning): "alert.warning", string(alert.Critical): "alert.critical"},
	"verdict": {string(sales.Complete): "verdicts.complete", string(sales.Failed): "verdicts.failed"},
	"way":     plain(wayNames),
}

// formerActs are the acts that were written by the path of their form.
var formerActs = map[string]approval.Act{
	"/sales": approval.Sale, "/sales/:id/refund": approval.Refund, "/sales/:id/refund?open": approval.RefundUnknown,
	"/sales/:id/retry": approval.Retry, "/shift/cash": approval.CashMove,
}

// keyed are words whose keys are made of them.
func keyed[W ~string](prefix string, words []W) map[string]string {
	keys := map[string]string{}
	for _, word := range words {
		keys[string(word)] = prefix + string(word)
	}
	return keys
}

func plain[W ~string](names map[W]string) map[string]string {
	keys := map[string]string{}
	for word, key := range names {
		keys[string(word)] = key
	}
	return keys
}

func mailKeys() map[string]string {
	keys := map[string]string{}
	for _, every := range frame.MailEvery {
		keys[every.Value] = every.Name
	}
	return keys
}

// kindKeys are of differences and of cash that is moved.
func kindKeys() map[string]string {
	keys := keyed("break.kind.", reconcile.Kinds())
	maps.Copy(keys, keyed("move.", []till.MoveKind{till.PaidIn, till.ToSafe, till.Expense}))
	return keys
}

// worded says what a field holds where that is a word of programs.
func (k auditWords) worded(field, said string) string {
	if key, known := auditValues[field][said]; known {
		return k.l.Text(key)
	}
	switch field {
	case "act":
		if act := audit.Act(said); slices.Contains(audit.Acts(), act) {
			return actName(k.l, act)
		}
		return actText(k.l, cmp.Or(formerActs[said], approval.Act(said)))
	case "format":
		return strings.ToUpper(said)
	case "kind":
		if kind, known := frame.KindNames[catalog.Kind(said)]; known {
			return templates.KindName(k.l, kind)
		}
	case "locale":
		for _, language := range locale.Languages() {
			if language.Tag == said {
				return language.Name
			}
		}
	case "path":
		return k.report(said)
	case "role":
		return k.role(said)
	}
	return said
}

// report is what the report at an address is called, beside the address: what was asked
// of it stands there.
func (k auditWords) report(path string) string {
	address, err := url.Parse(path)
	if err != nil {
		return path
	}
	if name, found := strings.CutPrefix(address.Path, "/reports/"); found && slices.Contains(report.Kinds(), name) {
		return k.l.Text("reports.title."+name) + " (" + path + ")"
	}
	return path
}

// together tells what several fields say with one another: what a limit is of, and what
// an alert told. It returns the fields that are left.
func (k auditWords) together(object map[string]any) (lines []string, left map[string]any) {
	word := func(field string) string { text, _ := object[field].(string); return text }
	kind := limit.Kind{
		Subject: limit.Subject(word("subject")), Period: limit.Period(word("period")),
		Measure: limit.Measure(word("measure")),
	}
	left = maps.Clone(object)
	without := func(fields ...string) {
		for _, field := range fields {
			delete(left, field)
		}
	}
	if name := frame.LimitName(k.l, kind); kind.Name() != "" {
		lines = append(lines, k.l.Text("limits.what")+": "+name)
		without("subject", "period", "measure")
	}
	if facts, told := object["facts"].([]any); told && word("rule") != "" {
		var written []string
		for _, fact := range facts {
			written = append(written, fmt.Sprint(fact))
		}
		lines = append(lines, k.field("rule")+": "+frame.AlertText(k.l, word("rule"), written))
		without("rule", "facts")
	}
	return lines, left
}
