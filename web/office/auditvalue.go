package office

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"airtill/internal/alert"
	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/limit"
	"airtill/internal/pricing"
	"airtill/internal/receipt"
	"airtill/internal/reconcile"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/till"
	"airtill/web/frame"
	"airtill/web/locale"
)

// auditValues are the facts that hold programs' words, with the keys of their names. For other words see word.
var auditValues = map[string]map[string]string{
	"account": keyed("break.account.", reconcile.JournalAccounts()),
	"allowed": frame.StopNames,
	"copy":    keyed("audit.copy.", []receipt.Copy{receipt.Customers, receipt.Shops}),
	"every":   keyed("mailing.", frame.MailEvery),
	"kind":    kindKeys(),
	"mode":    keyed("sending.mode.", []sales.SendMode{sales.Wait, sales.Deferred}),
	"resolution": keyed("break.how.", []reconcile.Resolution{
		reconcile.Faded, reconcile.Agreed, reconcile.Matched, reconcile.Journal, reconcile.WriteOff, reconcile.TopUp,
		reconcile.Foreign,
	}),
	"scope": {
		string(sales.ScopeProvider): "reports.by.provider", string(sales.ScopeProduct): "reports.by.product",
	},
	"slip":    keyed("audit.slip.", []receipt.Slip{receipt.Receipt, receipt.Waiting, receipt.Refund}),
	"tier":    {string(alert.Warning): "alert.warning", string(alert.Critical): "alert.critical"},
	"verdict": {string(sales.Complete): "verdicts.complete", string(sales.Failed): "verdicts.failed"},
	"way":     keyed("prices.way.", pricing.Ways()),
}

// keyed maps words to the keys made from them.
func keyed[W ~string](prefix string, words []W) map[string]string {
	keys := map[string]string{}
	for _, word := range words {
		keys[string(word)] = prefix + string(word)
	}
	return keys
}

// kindKeys are those of differences and of cash moves.
func kindKeys() map[string]string {
	keys := keyed("break.kind.", reconcile.Kinds())
	maps.Copy(keys, keyed("move.", []till.MoveKind{till.PaidIn, till.ToSafe, till.Expense}))
	return keys
}

// word puts a program's word into people's.
func (k auditWords) word(field, said string) string {
	if key, known := auditValues[field][said]; known {
		return k.l.Text(key)
	}
	switch field {
	case "act":
		if act := audit.Act(said); slices.Contains(audit.Acts(), act) {
			return actName(k.l, act)
		}
		return actText(k.l, approval.Act(said))
	case "code": // a provider's or a product's
		return called(k.names.Sold.Providers, called(k.names.Sold.Products, said))
	case "country":
		return called(k.names.Countries, said)
	case "format":
		return strings.ToUpper(said)
	case "kind":
		return k.l.Word("kind.", said, said)
	case "limit":
		if part := strings.Split(said, "/"); len(part) == 3 {
			return frame.LimitName(k.l, limit.Kind{
				Subject: limit.Subject(part[0]), Period: limit.Period(part[1]), Measure: limit.Measure(part[2]),
			})
		}
	case "locale":
		for _, language := range locale.Languages() {
			if language.Tag == said {
				return language.Name
			}
		}
	case "path":
		return k.report(said)
	case "provider":
		return called(k.names.Sold.Providers, said)
	case "role":
		return k.role(said)
	case "rule":
		told := strings.Split(said, "\n")
		return frame.AlertText(k.l, told[0], told[1:])
	case "rounding":
		return roundingName(k.l, said, said)
	case "sku":
		return called(k.names.Sold.Products, said)
	}
	return said
}

// report is the name of the report at an address, followed by the address, which holds the question.
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
