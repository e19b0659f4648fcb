//go:build unix

// Package armed is what the marks of failpoint do in programs built with the tag
// failpoints: what the variables of their environment and the files of a test say.
package armed

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"airtill/internal/harness/failpoint"
)

// Acts are for failpoint.Arm.
var Acts = failpoint.Acts{Hit: hit, Broken: broken, SQLitePragma: sqlitePragma, Now: now}

// hit crashes or freezes this process where a test asked for it. In the
// directory AIRTILL_FAILPOINT_DIR a file PLACE.kill ends it as kill -9 does,
// and a file PLACE.stop freezes it as SIGSTOP does, until somebody continues it.
// The file is renamed to PLACE.fired first, so that it works once, in one
// process, and the test can see that it did.
//
// A place that AIRTILL_FAILPOINTS names ("K4,K5") kills once too.
func hit(place string) {
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

// broken says whether AIRTILL_BROKEN names a law, which is then not kept. What
// proves the laws must be seen to fail without them.
func broken(law string) bool { return os.Getenv("AIRTILL_BROKEN") == law }

// sqlitePragma is what a connection that writes to SQLite is opened with
// besides: AIRTILL_SQLITE_PAGES bounds the pages of the file, beyond which
// SQLite says that the disk is full.
func sqlitePragma() string {
	pages := os.Getenv("AIRTILL_SQLITE_PAGES")
	if pages == "" {
		return ""
	}
	return "&_pragma=max_page_count(" + pages + ")"
}
