// Package shift is the till and its drawer: opening, cash in and out, counting, X and Z reports, printers.
package shift

import "airtill/web/frame"

// Screens are the pages of this room.
type Screens struct{ *frame.Server }
