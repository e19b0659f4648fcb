//go:build failpoints

// Package failpoint marks the places where crash tests kill the process. It
// does nothing unless the binary is built with the tag failpoints.
package failpoint

import (
	"os"
	"strings"
	"syscall"
)

// Hit kills this process, as kill -9 does, if AIRTILL_FAILPOINTS names the
// place ("K4") and the file AIRTILL_FAILPOINT_DIR/<place> does not exist yet;
// it leaves that file, so that each place kills once and the test can see that
// it did.
func Hit(place string) {
	for name := range strings.SplitSeq(os.Getenv("AIRTILL_FAILPOINTS"), ",") {
		if name != place {
			continue
		}
		mark, err := os.OpenFile(os.Getenv("AIRTILL_FAILPOINT_DIR")+"/"+place, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return // it has fired already
		}
		_ = mark.Sync()
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
}
