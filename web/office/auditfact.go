package office

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"airtill/internal/approval"
	"airtill/internal/audit"
	"airtill/internal/limit"
	"airtill/internal/money"
	"airtill/internal/report"
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
	return k.l.Word("audit.fact.", f.Name, f.Name) + ": " + k.value(f, value)
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
		return cmp.Or(k.names.People[written], written)
	case audit.AsShop:
		return cmp.Or(k.names.Shops[written], written)
	case audit.AsTill:
		return cmp.Or(k.names.Tills[written], written)
	case audit.AsText:
		if slices.Contains(decimals, f.Name) {
			return k.l.Decimal(written)
		}
	}
	return written
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

// auditGroups are the facts that hold programs' words which have messages, with what the keys of those begin with. For
// other words see word.
var auditGroups = map[string]string{
	"account": "break.account.", "copy": "audit.copy.", "every": "mailing.", "mode": "sending.mode.",
	"resolution": "break.how.", "scope": "reports.by.", "tier": "alert.", "verdict": "verdicts.",
	"way": "prices.way.",
}

// word puts a program's word into people's.
func (k auditWords) word(field, said string) string {
	if group, known := auditGroups[field]; known {
		return k.l.Word(group, said, said)
	}
	switch field {
	case "act":
		if act := audit.Act(said); slices.Contains(audit.Acts(), act) {
			return actName(k.l, act)
		}
		return actText(k.l, approval.Act(said))
	case "allowed":
		if key, known := frame.StopNames[said]; known {
			return k.l.Text(key)
		}
	case "code": // a provider's or a product's
		return cmp.Or(k.names.Sold.Providers[said], k.names.Sold.Products[said], said)
	case "country":
		return cmp.Or(k.names.Countries[said], said)
	case "format":
		return strings.ToUpper(said)
	case "kind": // of a product first: one may be of another kind, which of a difference means none that we know
		return k.l.Word("kind.", said, k.l.Word("move.", said, k.l.Word("break.kind.", said, said)))
	case "limit":
		return frame.LimitName(k.l, limit.Written(said))
	case "locale":
		for _, language := range locale.Languages() {
			if language.Tag == said {
				return language.Name
			}
		}
	case "path":
		return k.report(said)
	case "provider":
		return cmp.Or(k.names.Sold.Providers[said], said)
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
		return cmp.Or(k.names.Sold.Products[said], said)
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
