//go:build !unix

package sandbox

import "os"

// lock does nothing: there is no flock here.
func lock(*os.File) error { return nil }
