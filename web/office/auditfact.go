package office

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"airtill/internal/audit"
	"airtill/internal/money"
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
