package locale

import (
	"errors"
	"fmt"
	"sync"

	"github.com/riverqueue/river/rivertype"
	"github.com/shopspring/decimal"

	"airtill/internal/fault"
	"airtill/internal/money"
)

// Fault returns what the first fault in an error's chain says to a person, ""
// if there is none. The message files have it by its code, with every argument
// as text (%s); fault itself has it in English.
func (l Locale) Fault(err error) string {
	var e *fault.Error
	if !errors.As(err, &e) {
		return ""
	}
	if e.Code == "" { // worded elsewhere, or not at all
		return e.Message
	}
	if translated, ok := l.texts.text["fault."+e.Code]; ok {
		return l.fill(translated, l.written(e.Args)...)
	}
	return filled(fault.Text(e.Code), l.amounts(e.Args))
}

// Noted returns what a row remembers of a fault (fault.Note) in words.
func (l Locale) Noted(note string) string { return l.Fault(&fault.Error{Code: note, Message: note}) }

// filled puts arguments into a message; without any, a % stands for itself.
func filled(text string, args []any) string {
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// amounts writes the sums of money among arguments the locale's way.
func (l Locale) amounts(args []any) []any {
	own := make([]any, len(args))
	for i, arg := range args {
		if sum, ok := arg.(money.Amount); ok {
			arg = l.Amount(sum)
		}
		own[i] = arg
	}
	return own
}

// written writes every argument as text, the locale's way.
func (l Locale) written(args []any) []any {
	own := l.amounts(args)
	for i, arg := range own {
		switch v := arg.(type) {
		case int:
			own[i] = l.Number(int64(v))
		case string:
		case fault.Named:
			own[i] = l.Word("", v.MessageKey(), fmt.Sprint(v))
		case decimal.Decimal:
			own[i] = l.Decimal(v.String())
		default:
			own[i] = fmt.Sprint(v)
		}
	}
	return own
}

// ConflictTitle is the heading over a fault of kind Conflict: what it is, where Fault has
// the sentence. "" is for every other error.
func (l Locale) ConflictTitle(err error) string {
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != fault.Conflict {
		return ""
	}
	return l.Word("error.409.", conflicts()[e.Code], l.Text("error.409"))
}

// conflictsByKind are the codes of conflicts.
var conflictsByKind = data[map[string][]string]("conflicts.toml")

// conflicts says of each conflict, by its code, of which kind it is.
var conflicts = sync.OnceValue(func() map[string]string {
	kinds := map[string]string{}
	for kind, codes := range conflictsByKind() {
		for _, code := range codes {
			kinds[code] = kind
		}
	}
	return kinds
})

// Word is what a word of programs is called: the message of its group, such as "role.", or
// otherwise where there is none.
func (l Locale) Word(group, word, otherwise string) string {
	if text, known := l.message(group + word); known {
		return text
	}
	return otherwise
}

// Job is what a job of a kind is called; one that is no more by its kind.
func (l Locale) Job(kind string) string { return l.Word("jobs.name.", kind, kind) }

// JobState is what River's state of a job is called.
func (l Locale) JobState(state rivertype.JobState) string {
	return l.Text("jobs.state." + string(state))
}
