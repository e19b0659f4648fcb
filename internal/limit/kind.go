package limit

import (
	"slices"
	"strings"

	"airtill/internal/fault"
)

// Subject is what a limit counts for.
type Subject string

// The subjects.
const (
	OneSale   Subject = "sale"    // a single sale's price
	OneNumber Subject = "number"  // sales to one account number, in all shops
	OneSeller Subject = "cashier" // sales of one cashier
	OneRefund Subject = "refund"  // a single refund
	// LowMark warns when the float upstream is below it, and stops nothing. By the
	// day it is a cap: what a shop may use of the float in its business day, which
	// nobody at the counter can lift.
	LowMark Subject = "float"
	// FloatKept of a shop is what it must leave of the float to the others: it sells
	// nothing that would take the float below it.
	FloatKept Subject = "kept"
)

// Period is the time in which a limit counts.
type Period string

// The periods.
const (
	Each Period = "each" // each act by itself
	Hour Period = "hour" // the last hour
	Day  Period = "day"  // the shop's business day
)

// Measure is what a limit counts.
type Measure string

// The measures.
const (
	Count Measure = "count"
	Sum   Measure = "amount"
)

// Kind says what a limit limits.
type Kind struct {
	Subject Subject
	Period  Period
	Measure Measure
}

// kinds are the existing limits.
var kinds = []struct {
	name string
	kind Kind
}{
	{"sale", Kind{OneSale, Each, Sum}},
	{"number-hour", Kind{OneNumber, Hour, Count}},
	{"number-day", Kind{OneNumber, Day, Count}},
	{"number-hour-sum", Kind{OneNumber, Hour, Sum}},
	{"number-day-sum", Kind{OneNumber, Day, Sum}},
	{"cashier-hour", Kind{OneSeller, Hour, Count}},
	{"cashier-day", Kind{OneSeller, Day, Count}},
	{"cashier-hour-sum", Kind{OneSeller, Hour, Sum}},
	{"cashier-day-sum", Kind{OneSeller, Day, Sum}},
	{"refund", Kind{OneRefund, Each, Sum}},
	{"float-day", Kind{LowMark, Day, Sum}},
	{"float-kept", Kind{FloatKept, Each, Sum}},
	{"float", Kind{LowMark, Each, Sum}},
}

// Kinds are the existing limits, in the order they are offered.
func Kinds() []Kind {
	all := make([]Kind, 0, len(kinds))
	for _, k := range kinds {
		all = append(all, k.kind)
	}
	return all
}

// written is what the audit and reports call the kind.
func (k Kind) written() string {
	return string(k.Subject) + "/" + string(k.Period) + "/" + string(k.Measure)
}

// Written is the kind that the audit and reports call so, one of before too.
func Written(text string) Kind {
	subject, rest, _ := strings.Cut(text, "/")
	period, measure, _ := strings.Cut(rest, "/")
	return Kind{Subject(subject), Period(period), Measure(measure)}
}

// Name is the kind's name in forms, "" if there is no such limit.
func (k Kind) Name() string {
	for _, known := range kinds {
		if known.kind == k {
			return known.name
		}
	}
	return ""
}

// Named is the kind with that name in forms, or the zero Kind, of which there is no limit.
func Named(name string) Kind {
	for _, known := range kinds {
		if known.name == name {
			return known.kind
		}
	}
	return Kind{}
}

// check refuses a kind that does not exist.
func (k Kind) check() error {
	if k.Name() != "" {
		return nil
	}
	if slices.ContainsFunc(Kinds(), func(o Kind) bool { return o.Subject == k.Subject && o.Period == k.Period }) {
		return fault.OnField("measure", "limit.amount")
	}
	return fault.OnField("subject", "limit.none")
}
