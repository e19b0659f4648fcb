package office

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"airtill/internal/audit"
	"airtill/internal/money"
	"airtill/internal/staff"
	"airtill/web/frame"
	"airtill/web/locale"
)

// auditFacts are the fields that acts keep of what they change, as nameless writes
// them; each has a name.
var auditFacts = []string{
	"account", "act", "address", "agreed", "allowed", "amount", "approver", "askedby", "auto", "because", "belowcost",
	"bridge", "code",
	"columns", "copy", "counted", "country", "counts", "createdat", "currency", "decidedat", "decidedby", "difference",
	"disabled",
	"displayname", "ends", "enteredat", "enteredby", "every", "expected", "facts", "float", "format", "from",
	"fromcurrency", "hash", "kick", "kind",
	"locale", "measure", "mode", "most", "name", "number", "path", "period", "priority", "proposedat", "proposedby",
	"provider", "rate",
	"reason", "receipts", "recipients", "reference", "request", "resolution", "role", "rounding", "rows", "rule",
	"saleid", "scope", "shop", "sku",
	"slip", "starts", "subject", "summary", "taxid", "tier", "till", "tills", "to", "tocurrency", "user", "username",
	"validfrom", "value",
	"verdict", "way", "webhooks", "width", "zone",
}

// auditWords tell what an audit entry kept of before and after, for people.
type auditWords struct {
	l     locale.Locale
	names frame.ReportNames
}

// change tells how things stand after, and of before what was otherwise.
func (k auditWords) change(before, after string) (was, is string) {
	now := k.lines(after)
	gone := slices.DeleteFunc(k.lines(before), func(line string) bool { return slices.Contains(now, line) })
	return strings.Join(gone, "\n"), strings.Join(now, "\n")
}

// lines are the fields of a kept value that say something, each with its name.
func (k auditWords) lines(text string) []string {
	if text == "" {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil { // of an entry that was tampered with
		return []string{text}
	}
	object, ok := value.(map[string]any)
	if !ok {
		return []string{k.value(value)}
	}
	lines, object := k.together(object)
	for _, field := range slices.Sorted(maps.Keys(object)) {
		if said := k.value(object[field]); said != "" && nameless(field) != "id" { // it stands with the subject
			lines = append(lines, k.field(field)+": "+k.worded(nameless(field), said))
		}
	}
	slices.Sort(lines)
	return lines
}

// nameless is a field without what programs put between its words.
func nameless(field string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(field))
}

// known is a field as its name stands for it.
func known(written string) string {
	field := nameless(written)
	if place := strings.TrimSuffix(field, "id"); place == "shop" || place == "till" {
		return place
	}
	return field
}

func (k auditWords) field(written string) string {
	if field := known(written); slices.Contains(auditFacts, field) {
		return k.l.Text("audit.fact." + field)
	}
	return written
}

// role is what somebody acted as: what no person did was done by a command.
func (k auditWords) role(written string) string {
	if role, known := frame.RoleNames[staff.Role(written)]; known {
		return k.l.Text(role)
	}
	if written == audit.Command("").Role {
		return k.l.Text("audit.command")
	}
	return written
}

var amountKept = regexp.MustCompile(`^(-?[0-9]+(?:\.[0-9]+)?) ([A-Z]{3})$`)

// value says a value: ids by name, times in the zone of the reader, sums in their
// language; "" for what is not set.
func (k auditWords) value(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case bool:
		if v {
			return k.l.Text("office.yes")
		}
		return k.l.Text("office.no")
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, k.value(one))
		}
		return strings.Join(all, ", ")
	case map[string]any: // how many of each coin, or what a new thing consists of
		var all []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if said := k.value(v[name]); said != "" && nameless(name) != "id" {
				all = append(all, k.field(name)+": "+said)
			}
		}
		return strings.Join(all, ", ")
	case string:
		return k.word(v)
	default: // a number
		return fmt.Sprint(v)
	}
}

func (k auditWords) word(text string) string {
	for _, names := range []map[string]string{k.names.People, k.names.Shops, k.names.Tills} {
		if name, ok := names[text]; ok {
			return name
		}
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		if at.IsZero() {
			return ""
		}
		return k.l.DateTime(at)
	}
	if sum := amountKept.FindStringSubmatch(text); sum != nil {
		if amount, err := money.Parse(sum[1], money.Currency(sum[2])); err == nil {
			return k.l.Amount(amount)
		}
	}
	return text
}
