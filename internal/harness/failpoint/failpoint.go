// Package failpoint marks the places where tests crash, freeze or break the
// process, and is the clock that they move. It does what it is armed with:
// nothing, but in the programs built with the tag failpoints, which arm it first
// of all. What they arm it with is in no other program.
package failpoint

import "time"

// Acts are what happens at the marks.
type Acts struct {
	Hit          func(place string)
	Broken       func(law string) bool
	SQLitePragma func() string
	Now          func() time.Time
}

var acts = Acts{
	Hit:          func(string) {},
	Broken:       func(string) bool { return false },
	SQLitePragma: func() string { return "" },
	Now:          time.Now, //nolint:forbidigo // it stands in for cmd's own call
}

// Arm has the marks do something, before anything else of the program runs.
func Arm(with Acts) { acts = with }

// Hit marks a place.
func Hit(place string) { acts.Hit(place) }

// Broken says whether a law is broken on purpose.
func Broken(law string) bool { return acts.Broken(law) }

// SQLitePragma is what a connection that writes to SQLite is opened with besides.
func SQLitePragma() string { return acts.SQLitePragma() }

// Now is the clock of the machine, as a test may have moved it.
func Now() time.Time { return acts.Now() }
