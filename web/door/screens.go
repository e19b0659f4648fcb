// Package door has the pages for signing in and out, locking, passwords, PINs, language and practice.
package door

import "airtill/web/frame"

// Screens are the pages of this room.
type Screens struct{ *frame.Server }
