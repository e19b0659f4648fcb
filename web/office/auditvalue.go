package office

import (
	"net/url"
	"slices"
	"strings"

	"airtill/internal/alert"
	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/limit"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/web/frame"
	"airtill/web/locale"
)

// auditValues are the facts that hold programs' words, with the keys of their names. For other words see word.
var auditValues = map[string]map[string]string{
	"allowed": frame.StopNames,
	"scope": {
		string(sales.ScopeProvider): "reports.by.provider", string(sales.ScopeProduct): "reports.by.product",
	},
	"tier":    {string(alert.Warning): "alert.warning", string(alert.Critical): "alert.critical"},
	"verdict": {string(sales.Complete): "verdicts.complete", string(sales.Failed): "verdicts.failed"},
}

// auditGroups are the facts whose words have messages of their own, with what the keys of those begin with.
var auditGroups = map[string]string{
	"account": "break.account.", "copy": "audit.copy.", "every": "mailing.", "mode": "sending.mode.",
	"resolution": "break.how.", "way": "prices.way.",
}

// word puts a program's word into people's.
func (k auditWords) word(field, said string) string {
	if key, known := auditValues[field][said]; known {
		return k.l.Text(key)
	}
	if group, known := auditGroups[field]; known {
		return k.l.Word(group, said, said)
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
	case "kind": // of a product first: one may be of another kind, which of a difference means none that we know
		return k.l.Word("kind.", said, k.l.Word("move.", said, k.l.Word("break.kind.", said, said)))
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
	case "slip":
		return k.l.Word("audit.slip.", said, said)
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
