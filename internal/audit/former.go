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
	var stored any
	if err := decoder.Decode(&stored); err != nil {
		return nil, fmt.Errorf("audit entry %d: %w", r.Seq, err)
	}
	r.gather(&facts, map[Act]string{TillRenamed: "name", ProviderValidatingSet: "validating"}[r.Act], stored)
	return facts, nil
}

func (r Record) gather(facts *Facts, name string, stored any) {
	switch stored := stored.(type) {
	case map[string]any:
		stored = together(stored)
		for _, field := range slices.Sorted(maps.Keys(stored)) {
			r.gather(facts, plain(field), stored[field])
		}
	case []any:
		r.gather(facts, name, joined(stored, ", "))
	case bool:
		*facts = append(*facts, YesNo(name, stored))
	case json.Number:
		*facts = append(*facts, Fact{name, AsCount, "", stored.String()})
	case string:
		if stored != "" && stored != zeroTime && !r.says(name, stored) {
			*facts = append(*facts, formerText(name, stored))
		}
	}
}

// zeroTime is how an unset time was stored.
const zeroTime = "0001-01-01T00:00:00Z"

// says is whether something is in the entry already.
func (r Record) says(name, stored string) bool {
	return name == "id" || name == "saleid" && r.Subject == Of(Sale, stored) || name == "reason" && r.Reason == stored
}

// together makes one fact of several that mean nothing alone: the kind of a limit, and the facts of an alert.
func together(stored map[string]any) map[string]any {
	whole := maps.Clone(stored)
	if facts, ok := stored["facts"].([]any); ok && stored["rule"] != nil {
		delete(whole, "facts")
		whole["rule"] = joined(append([]any{stored["rule"]}, facts...), "\n")
	}
	if stored["subject"] != nil && stored["period"] != nil && stored["measure"] != nil {
		maps.DeleteFunc(whole, func(field string, _ any) bool {
			return field == "subject" || field == "period" || field == "measure"
		})
		whole["limit"] = joined([]any{stored["subject"], stored["period"], stored["measure"]}, "/")
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

func formerText(name, stored string) Fact {
	switch name {
	case "approver", "askedby", "decidedby", "enteredby", "proposedby", "user":
		return Person(name, stored)
	case "shop":
		return AtShop(stored)
	case "till":
		return AtTill(stored)
	case "act":
		if act, known := formerActs[stored]; known {
			stored = act
		}
		return Word(name, stored)
	case "account", "allowed", "code", "copy", "country", "every", "format", "kind", "limit", "locale", "mode", "path",
		"provider", "resolution", "role", "rounding", "rule", "scope", "sku", "slip", "tier", "verdict", "way":
		return Word(name, stored)
	case "ends", "starts":
		return Day(name, stored)
	case "belowcost":
		return YesNo(name, stored == "allowed")
	case "address", "displayname", "name", "reason", "reference", "summary", "taxid", "username":
		return Text(name, stored)
	}
	if _, err := time.Parse(time.RFC3339, stored); err == nil {
		return Fact{name, AsTime, "", stored}
	}
	if formerMoney.MatchString(stored) {
		return Fact{name, AsMoney, "", stored}
	}
	return Text(name, stored)
}
