package locale

import (
	"errors"
	"fmt"

	"airtill/internal/fault"
	"airtill/internal/money"
)

// Fault returns what the first fault in an error's chain says to a person, ""
// if there is none. The rooms speak English; the tables of faults have each of
// their formats in the other languages, with every argument as text (%s).
func (l Locale) Fault(err error) string {
	var e *fault.Error
	if !errors.As(err, &e) {
		return ""
	}
	format, args := e.Format, e.Args
	if format == "" || format == "%s" { // the message was chosen elsewhere, whole
		format, args = e.Message, nil
	}
	translated, ok := l.texts.text["fault."+format]
	if !ok {
		return filled(format, l.amounts(args))
	}
	return l.fill(translated, l.written(args)...)
}

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
		default:
			own[i] = fmt.Sprint(v)
		}
	}
	return own
}
