//go:build failpoints

// Package failpoint marks the places where tests crash, freeze or break the
// process, and is the clock that they move. Unless the binary is built with the
// tag failpoints it does nothing, and nothing of it is left in the binary.
package failpoint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Hit crashes or freezes this process where a test asked for it. In the
// directory AIRTILL_FAILPOINT_DIR a file PLACE.kill ends it as kill -9 does,
// and a file PLACE.stop freezes it as SIGSTOP does, until somebody continues it.
// The file is renamed to PLACE.fired first, so that it works once, in one
// process, and the test can see that it did.
//
// A place that AIRTILL_FAILPOINTS names ("K4,K5") kills once too.
func Hit(place string) {
	dir := os.Getenv("AIRTILL_FAILPOINT_DIR")
	if dir == "" {
		return
	}
	path := filepath.Join(dir, place)
	switch {
	case named(place) && mark(path):
		end(syscall.SIGKILL)
	case os.Rename(path+".kill", path+".fired") == nil:
		end(syscall.SIGKILL)
	case os.Rename(path+".stop", path+".fired") == nil:
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) // goes on here when continued
	}
}

func named(place string) bool {
	return slices.Contains(strings.Split(os.Getenv("AIRTILL_FAILPOINTS"), ","), place)
}

// mark leaves the file that says that a place has killed; false if it was there.
func mark(path string) bool {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return false
	}
	return file.Sync() == nil
}

func end(signal syscall.Signal) {
	_ = syscall.Kill(os.Getpid(), signal)
	select {} // the signal is on its way
}

// Broken says whether AIRTILL_BROKEN names a law, which is then not kept. What
// proves the laws must be seen to fail without them.
func Broken(law string) bool { return os.Getenv("AIRTILL_BROKEN") == law }

// SQLitePragma is what a connection that writes to SQLite is opened with
// besides: AIRTILL_SQLITE_PAGES bounds the pages of the file, beyond which
// SQLite says that the disk is full.
func SQLitePragma() string {
	pages := os.Getenv("AIRTILL_SQLITE_PAGES")
	if pages == "" {
		return ""
	}
	return "&_pragma=max_page_count(" + pages + ")"
}
