//go:build failpoints

package main

import (
	"airtill/internal/harness/failpoint"
	"airtill/internal/harness/failpoint/armed"
)

// A build with -tags failpoints, for make e2e and make chaos only, does at its failpoints what a test asks for.
func init() { failpoint.Arm(armed.Acts) }
