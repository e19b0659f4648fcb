//go:build !failpoints

// Package failpoint marks the places where crash tests kill the process. It
// does nothing unless the binary is built with the tag failpoints.
package failpoint

// Hit marks a place.
func Hit(string) {}
