// Package books is what must agree: differences, verdicts, entries from outside, statements.
package books

import "airtill/web/frame"

// Screens are the pages of this room.
type Screens struct{ *frame.Server }
