package apiclient

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"airtill/internal/fault"
)

// The errors callers tell apart with errors.Is, all wrapped in an *Error.
var (
	// ErrNotSent: provably no byte of the request body left this process, and none ever will.
	ErrNotSent = errors.New("nothing was sent")
	// ErrBudget: the request budget is used up; nothing was sent.
	// Error.RetryAfter says when to try again.
	ErrBudget = errors.New("request budget used up")
	// ErrPermitExpired: the permit was too old when the body was about to leave.
	ErrPermitExpired = errors.New("permit too old")
	// ErrUnreadable: the answer is not a whole, valid envelope of its endpoint.
	ErrUnreadable = errors.New("no valid envelope")
	// ErrTooLarge: the answer exceeds its limit and was not read.
	ErrTooLarge = errors.New("answer too large")
	// ErrToken: no access token could be obtained.
	ErrToken = errors.New("no access token")
)

// Error is any call that did not end with ResultCode 1 or 2. Its text never
// holds a body, number, token or secret.
type Error struct {
	Op         string      // the endpoint's name, such as SendTransfer
	Status     int         // HTTP status, 0 if there was no answer
	ResultCode int         // 3, 4, 5 or an unknown one; 0 if no valid envelope was read
	Codes      []ErrorCode // the ErrorCodes, in the service's order
	RetryAfter time.Duration
	Err        error // what went wrong on the way; nil if the service itself refused
}

// Error describes the failure for a log.
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString(e.Op)
	if e.Status != 0 {
		fmt.Fprintf(&text, ": HTTP %d", e.Status)
	}
	if e.ResultCode != 0 {
		fmt.Fprintf(&text, ": ResultCode %d", e.ResultCode)
	}
	for _, code := range e.Codes {
		fmt.Fprintf(&text, " %s", word(code.Code))
		if code.Context != "" {
			fmt.Fprintf(&text, " (%s)", word(code.Context))
		}
	}
	if e.Err != nil {
		fmt.Fprintf(&text, ": %s", e.Err)
	}
	return text.String()
}

// Unwrap returns what went wrong on the way.
func (e *Error) Unwrap() error { return e.Err }

// Told words a failed call for a person: with the message of a code, unless we had asked too often. Then
// nobody failed to answer, and it says when to try again.
func Told(err error, kind fault.Kind, code string) *fault.Error {
	var e *Error
	if errors.As(err, &e) && (errors.Is(e.Err, ErrBudget) || e.Has(CodeRateLimited)) {
		minutes := (max(e.RetryAfter, time.Minute) + time.Minute - 1) / time.Minute
		return fault.Wrap(err, kind, "upstream.asked-too-often", int(minutes))
	}
	return fault.Wrap(err, kind, code)
}

// Limited says whether the call was not made, or failed, because of too many before it: it may be made again
// once a transfer has succeeded, or after a while.
func (e *Error) Limited() bool {
	return errors.Is(e.Err, ErrBudget) || e.RetryAfter > 0 || e.Has(CodeRateLimited)
}

// Has says whether one of the codes is this one.
func (e *Error) Has(code string) bool {
	return slices.ContainsFunc(e.Codes, func(c ErrorCode) bool { return c.Code == code })
}

// HasContext says whether this code came with this context, alone or in a comma-separated list.
func (e *Error) HasContext(code, context string) bool {
	return slices.ContainsFunc(e.Codes, func(c ErrorCode) bool {
		return c.Code == code && slices.ContainsFunc(strings.Split(c.Context, ","), func(part string) bool {
			return strings.TrimSpace(part) == context
		})
	})
}

// word admits only what can be a code or a list of parameter names: the service may put anything into a
// context, even an account number.
func word(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("_., ", r)
	}
	if len(text) > 100 || strings.ContainsFunc(text, func(r rune) bool { return !plain(r) }) {
		return "?"
	}
	return text
}
