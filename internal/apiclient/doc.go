// Package apiclient speaks the upstream transfer service: seventeen calls, two ways to authenticate, the
// request budgets, and the opening of its webhooks.
//
// Every call is one value of type endpoint, and one generic function makes them all, over one HTTP/1.1
// transport. Nothing is ever repeated in this package: whether a call may be made again is for the caller, who
// holds the permit.
//
// Answers are read with tolerance: unknown fields, enumeration values and nulls are no errors, and a field of
// an unexpected type counts as absent.
package apiclient
