//go:build !failpoints

// Package failpoint marks the places where tests crash, freeze or break the
// process, and is the clock that they move. Unless the binary is built with the
// tag failpoints it does nothing, and nothing of it is left in the binary.
package failpoint

import "time"

// Hit marks a place.
func Hit(string) {}

// Broken says whether a law is broken on purpose: never.
func Broken(string) bool { return false }

// SQLitePragma is what a connection that writes to SQLite is opened with
// besides: nothing.
func SQLitePragma() string { return "" }

// Now is the clock of the machine.
func Now() time.Time { return time.Now() } //nolint:forbidigo // it stands in for cmd's own call
