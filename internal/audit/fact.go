package audit

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"airtill/internal/money"
)

// Kind says how a fact's values are read.
type Kind string

// The kinds.
const (
	AsText   Kind = "text"   // as somebody wrote it, or a code
	AsWord   Kind = "word"   // of the domain; the fact's name says of which list
	AsMoney  Kind = "money"  // "12.50 EUR"
	AsCount  Kind = "count"  // "12"
	AsYesNo  Kind = "yesno"  // "true" or "false"
	AsTime   Kind = "time"   // in RFC 3339, or only its day
	AsPerson Kind = "person" // the id of a user
	AsShop   Kind = "shop"   // the id of a shop
	AsTill   Kind = "till"   // the id of a till
)

// Fact is one thing an entry says. No PIN, password, token or full account number belongs in it: it can never
// be deleted.
type Fact struct {
	Name   string `json:"name"` // which pages translate
	Kind   Kind   `json:"kind"`
	Before string `json:"before,omitempty"` // "" for nothing
	After  string `json:"after,omitempty"`  // "" for nothing
}

// Facts are what an entry says, in order.
type Facts []Fact

// Text is a fact shown as written.
func Text[T ~string](name string, text T) Fact { return Fact{name, AsText, "", string(text)} }

// Word is a fact whose values have names in each language.
func Word[T ~string](name string, word T) Fact { return Fact{name, AsWord, "", string(word)} }

// Money is a sum.
func Money(name string, sum money.Amount) Fact { return Fact{name, AsMoney, "", sum.String()} }

// Count is how many there are, or a number.
func Count[N ~int | ~int64](name string, n N) Fact {
	return Fact{name, AsCount, "", strconv.FormatInt(int64(n), 10)}
}

// YesNo is a fact that is true or not.
func YesNo(name string, yes bool) Fact { return Fact{name, AsYesNo, "", strconv.FormatBool(yes)} }

// Time is a moment.
func Time(name string, at time.Time) Fact {
	return Fact{name, AsTime, "", at.UTC().Format(time.RFC3339Nano)}
}

// Day is a day like 2026-03-31, "" for none.
func Day(name, day string) Fact { return Fact{name, AsTime, "", day} }

// Person is a user, by id.
func Person(name, userID string) Fact { return Fact{name, AsPerson, "", userID} }

// AtShop is a shop, by id.
func AtShop(id string) Fact { return Fact{"shop", AsShop, "", id} }

// AtTill is a till, by id.
func AtTill(id string) Fact { return Fact{"till", AsTill, "", id} }

// Between tells how a thing is after an act, and what was different before.
func Between(before, after Facts) Facts {
	facts := slices.Clone(after)
	for _, was := range before {
		was.Before, was.After = was.After, ""
		if i := facts.index(was.Name); i >= 0 {
			facts[i].Before = was.Before
		} else {
			facts = append(facts, was)
		}
	}
	return facts
}

// After is a fact's value since the act, "" if none.
func (f Facts) After(name string) string {
	if i := f.index(name); i >= 0 {
		return f[i].After
	}
	return ""
}

// Before is a fact's value until the act, "" if none.
func (f Facts) Before(name string) string {
	if i := f.index(name); i >= 0 {
		return f[i].Before
	}
	return ""
}

func (f Facts) index(name string) int {
	return slices.IndexFunc(f, func(one Fact) bool { return one.Name == name })
}

// stored is the facts as JSON, "" if there are none.
func (f Facts) stored() (string, error) {
	f = slices.DeleteFunc(slices.Clone(f), func(one Fact) bool { return one.Before == "" && one.After == "" })
	if len(f) == 0 {
		return "", nil
	}
	text, err := json.Marshal(f)
	return string(text), err
}
