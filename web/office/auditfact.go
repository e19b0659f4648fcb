package office

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"airtill/internal/alert"
	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/limit"
	"airtill/internal/money"
	"airtill/internal/report"
	"airtill/internal/sales"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
	"airtill/web/templates"
)

// auditWords put audit entries into people's words.
type auditWords struct {
	l     locale.Locale
	names frame.ReportNames
}

// change says how things are after an entry, and what was different before.
func (k auditWords) change(r audit.Record) (was, is string) {
	facts, err := r.Facts()
	if err != nil { // a tampered entry
		return r.Before, r.After
	}
	var before, after []string
	for _, f := range facts {
		if f.Before != "" && f.Before != f.After {
			before = append(before, k.line(f, f.Before))
		}
		if f.After != "" {
			after = append(after, k.line(f, f.After))
		}
	}
	return strings.Join(before, "\n"), strings.Join(after, "\n")
}

func (k auditWords) line(f audit.Fact, value string) string {
	name := k.l.Text("audit.fact." + f.Name)
	if strings.HasPrefix(name, "audit.") { // a later version's entry
		name = f.Name
	}
	return name + ": " + k.value(f, value)
}

// role is what somebody acted as; without a person it was a command.
func (k auditWords) role(written string) string {
	if written == audit.Command("").Role {
		return k.l.Text("audit.command")
	}
	return frame.RoleName(k.l, staff.Role(written))
}

// decimals are the texts that are stored as numbers with a point: an exchange rate, what a price rule adds.
var decimals = []string{"rate", "value"}

// value puts a value into words: ids by name, times in the reader's zone, sums in their language. A value that
// cannot be read is shown as written.
func (k auditWords) value(f audit.Fact, written string) string {
	switch f.Kind {
	case audit.AsWord:
		return k.word(f.Name, written)
	case audit.AsMoney:
		if amount, err := money.Read(written); err == nil {
			return k.l.Amount(amount)
		}
	case audit.AsCount:
		if n, err := strconv.ParseInt(written, 10, 64); err == nil {
			return k.l.Number(n)
		}
	case audit.AsYesNo:
		return templates.YesNo(k.l, written == "true")
	case audit.AsTime:
		if at, err := time.Parse(time.RFC3339, written); err == nil {
			return k.l.DateTime(at)
		}
		if day, err := time.Parse(time.DateOnly, written); err == nil {
			return k.l.In(time.UTC).Date(day)
		}
	case audit.AsPerson:
		return called(k.names.People, written)
	case audit.AsShop:
		return called(k.names.Shops, written)
	case audit.AsTill:
		return called(k.names.Tills, written)
	case audit.AsText:
		if slices.Contains(decimals, f.Name) {
			return k.l.Decimal(written)
		}
	}
	return written
}

// called is the name of an id or code, or itself if unknown.
func called(names map[string]string, id string) string {
	if name, known := names[id]; known {
		return name
	}
	return id
}

// actCell is an act in a table: by name, or as written if it has none.
func actCell(l locale.Locale, act audit.Act) templates.Cell {
	cell := templates.Cell{Text: actName(l, act)}
	if !slices.Contains(audit.Acts(), act) {
		cell.Hint = string(act)
	}
	return cell
}

// actName is what an act is called.
func actName(l locale.Locale, act audit.Act) string {
	if !slices.Contains(audit.Acts(), act) {
		act = "other"
	}
	return l.Text("audit.act." + strings.ReplaceAll(string(act), ".", "-"))
}

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
