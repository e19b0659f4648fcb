// Package fault names the kinds of error a person at a counter can meet.
//
// A fault carries a message for that person: what happened, whether money was
// taken, what to do now. Everything else in the chain is for the log.
//
// A message has a code, a short name that never changes. messages.toml has the
// English text of each code, which logs and commands show; web/locale has it in
// the languages of the till.
package fault

import (
	_ "embed" // the English texts
	"errors"
	"fmt"

	"github.com/BurntSushi/toml"
)

//go:embed messages.toml
var source string

// texts are the English messages by their codes.
var texts = func() (read map[string]string) {
	if _, err := toml.Decode(source, &read); err != nil {
		panic(err) // part of the program
	}
	return read
}()

// Kind says what can be done about an error; web turns it into a status code and a page.
type Kind string

// The kinds of error.
const (
	Invalid     Kind = "invalid"     // the input must change
	NotFound    Kind = "not_found"   // there is no such thing, or not for this user
	Conflict    Kind = "conflict"    // the thing moved on meanwhile
	Forbidden   Kind = "forbidden"   // this user may not
	Unavailable Kind = "unavailable" // try again later, nothing was changed
	Unsure      Kind = "unsure"      // it may or may not have happened: look before acting
	Internal    Kind = "internal"    // a defect, as is every error without a fault
)

// Error is an error with a kind and a message for a person.
type Error struct {
	Kind    Kind
	Code    string // what happened, like "shift.closed"; "": the kind says it all
	Message string // in English, for the person at the counter; never a secret, PIN or full account number
	Args    []any  // filled into the message
	Field   string // the form field it belongs to; "": the whole form
	Err     error  // the cause, for the log; may be nil
}

// Error returns the message followed by its cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New makes a fault of a kind, with the message of a code.
func New(kind Kind, code string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fill(Text(code), args), Args: args}
}

// Wrap makes a fault of a kind around a cause.
func Wrap(err error, kind Kind, code string, args ...any) *Error {
	e := New(kind, code, args...)
	e.Err = err
	return e
}

// OnField makes an Invalid fault that belongs to one form field.
func OnField(field, code string, args ...any) *Error { return New(Invalid, code, args...).On(field) }

// Worded makes an Invalid fault on a form field, with a message already in the reader's language.
func Worded(field, message string) *Error {
	return &Error{Kind: Invalid, Field: field, Message: message}
}

// Doing wraps an error with what was being done, as "list shops: …" for the log. A fault's kind and message
// stay; nil stays nil.
func Doing(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// On sets the form field of a new fault.
func (e *Error) On(field string) *Error {
	e.Field = field
	return e
}

// Text is the English message of a code, with verbs for its arguments. A code without a message is returned
// itself; a test proves there is none.
func Text(code string) string {
	if text, ok := texts[code]; ok {
		return text
	}
	return code
}

// fill puts arguments into a message; without any, a % stands for itself.
func fill(text string, args []any) string {
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// KindOf returns the kind of the first fault in the chain, Internal if there
// is none, and "" for nil.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// Message returns the English message of the first fault in the chain, or ""
// if the chain has none. Pages show Locale.Fault instead.
func Message(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Message
	}
	return ""
}

// Named is an argument that every language has a word of its own for: the message of a key.
type Named interface{ MessageKey() string }

// FieldOf returns the form field that the first fault in the chain belongs to,
// "" if none.
func FieldOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Field
	}
	return ""
}

// CodeOf returns the code of the first fault in the chain, "" if none.
func CodeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// Note is what a row stores of the first fault in the chain: its code, or the English message if it has
// arguments; "" without a fault.
func Note(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return ""
	}
	if e.Code == "" || len(e.Args) > 0 {
		return e.Message
	}
	return e.Code
}
