// Package fault names the kinds of error a person at a counter can meet.
//
// A fault carries a message for that person: what happened, whether money was
// taken, what to do now. Everything else in the chain is for the log.
//
// Messages are written in English where the fault is made; logs and commands
// show them so. The English format, with its arguments kept beside it, is also
// the key under which web/locale has the message in other languages.
package fault

import (
	"errors"
	"fmt"
)

// Kind says what can be done about an error; the web layer turns it into a
// status code and a page.
type Kind string

// The kinds of error.
const (
	Invalid     Kind = "invalid"     // the input must change
	NotFound    Kind = "not_found"   // there is no such thing, or not for this user
	Conflict    Kind = "conflict"    // the thing moved on meanwhile
	Forbidden   Kind = "forbidden"   // this user may not
	Unavailable Kind = "unavailable" // try again later, nothing was changed
	Unsure      Kind = "unsure"      // it may or may not have happened: look before acting
	Internal    Kind = "internal"    // a defect; every error that is no fault counts as this
)

// Error is an error with a kind and a message for a person.
type Error struct {
	Kind    Kind
	Message string // in English, for the person at the counter; never a secret, PIN or full account number
	Format  string // the message before its arguments were filled in; "" if it has none
	Args    []any  // what was filled in
	Field   string // the form field it belongs to, "" for the whole form
	Err     error  // what lies beneath, for the log; may be nil
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

// New makes a fault of a kind.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Format: format, Args: args}
}

// Wrap makes a fault of a kind around a cause.
func Wrap(err error, kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Format: format, Args: args, Err: err}
}

// OnField makes an Invalid fault that belongs to one form field.
func OnField(field, format string, args ...any) *Error {
	return &Error{Kind: Invalid, Field: field, Message: fmt.Sprintf(format, args...), Format: format, Args: args}
}

// KindOf returns the kind of the first fault in the chain, Internal if there
// is none, and "" for nil.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}

// Message returns the English message of the first fault in the chain, or ""
// if the chain has none. Pages show Locale.Fault instead.
func Message(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Message
	}
	return ""
}

// FieldOf returns the form field that the first fault in the chain belongs to,
// "" if none.
func FieldOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Field
	}
	return ""
}
