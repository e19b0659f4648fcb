package audit

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Facts reads what the entry says. An array in After is facts; older entries hold whatever their writer
// stored, before and after, whose meaning only this file knows.
func (r Record) Facts() (facts Facts, err error) {
	if strings.HasPrefix(r.After, "[") {
		if err := json.Unmarshal([]byte(r.After), &facts); err != nil {
			return nil, fmt.Errorf("audit entry %d: %w", r.Seq, err)
		}
		return facts, nil
	}
	before, err := r.former(r.Before)
	if err != nil {
		return nil, err
	}
	after, err := r.former(r.After)
	return Between(before, after), err
}

// former reads a value stored before there were facts.
func (r Record) former(text string) (facts Facts, err error) {
	if text == "" {
		return nil, nil
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var kept any
	if err := decoder.Decode(&kept); err != nil {
		return nil, fmt.Errorf("audit entry %d: %w", r.Seq, err)
	}
	r.gather(&facts, map[Act]string{TillRenamed: "name", ProviderValidatingSet: "validating"}[r.Act], kept)
	return facts, nil
}

func (r Record) gather(facts *Facts, name string, kept any) {
	switch kept := kept.(type) {
	case map[string]any:
		kept = together(kept)
		for _, field := range slices.Sorted(maps.Keys(kept)) {
			r.gather(facts, plain(field), kept[field])
		}
	case []any:
		r.gather(facts, name, joined(kept, ", "))
	case bool:
		*facts = append(*facts, YesNo(name, kept))
	case json.Number:
		*facts = append(*facts, Fact{name, AsCount, "", kept.String()})
	case string:
		if kept != "" && kept != zeroTime && !r.says(name, kept) {
			*facts = append(*facts, formerText(name, kept))
		}
	}
}

// zeroTime is how an unset time was stored.
const zeroTime = "0001-01-01T00:00:00Z"

// says is whether something is in the entry already.
func (r Record) says(name, kept string) bool {
	return name == "id" || name == "saleid" && r.Subject == Of(Sale, kept) || name == "reason" && r.Reason == kept
}

// together makes one fact of several that mean nothing alone: the kind of a limit, and the facts of an alert.
func together(kept map[string]any) map[string]any {
	whole := maps.Clone(kept)
	if told, ok := kept["facts"].([]any); ok && kept["rule"] != nil {
		delete(whole, "facts")
		whole["rule"] = joined(append([]any{kept["rule"]}, told...), "\n")
	}
	if kept["subject"] != nil && kept["period"] != nil && kept["measure"] != nil {
		maps.DeleteFunc(whole, func(field string, _ any) bool {
			return field == "subject" || field == "period" || field == "measure"
		})
		whole["limit"] = joined([]any{kept["subject"], kept["period"], kept["measure"]}, "/")
	}
	return whole
}

func joined(values []any, apart string) string {
	var all []string
	for _, value := range values {
		all = append(all, fmt.Sprint(value))
	}
	return strings.Join(all, apart)
}

// plain is the name of a fact stored under the name of a field or column.
func plain(field string) string {
	name := strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(field))
	if place := strings.TrimSuffix(name, "id"); place == "shop" || place == "till" {
		return place
	}
	return name
}

var (
	formerMoney = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)? [A-Z]{3}$`)
	// formerActs are acts to approve that were stored by the path of their form.
	formerActs = map[string]string{
		"/sales": "sale", "/sales/:id/refund": "refund", "/sales/:id/refund?open": "refund-unknown",
		"/sales/:id/retry": "retry", "/shift/cash": "cash-move",
	}
)

func formerText(name, kept string) Fact {
	switch name {
	case "approver", "askedby", "decidedby", "enteredby", "proposedby", "user":
		return Person(name, kept)
	case "shop":
		return AtShop(kept)
	case "till":
		return AtTill(kept)
	case "act":
		if act, known := formerActs[kept]; known {
			kept = act
		}
		return Word(name, kept)
	case "account", "allowed", "code", "copy", "country", "every", "format", "kind", "limit", "locale", "mode", "path",
		"provider", "resolution", "role", "rounding", "rule", "scope", "sku", "slip", "tier", "verdict", "way":
		return Word(name, kept)
	case "ends", "starts":
		return Day(name, kept)
	case "belowcost":
		return YesNo(name, kept == "allowed")
	case "address", "displayname", "name", "reason", "reference", "summary", "taxid", "username":
		return Text(name, kept)
	}
	if _, err := time.Parse(time.RFC3339, kept); err == nil {
		return Fact{name, AsTime, "", kept}
	}
	if formerMoney.MatchString(kept) {
		return Fact{name, AsMoney, "", kept}
	}
	return Text(name, kept)
}
