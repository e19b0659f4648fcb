// Package sale is what was sold: a sale and what can be done about it, its papers, lists of sales.
package sale

import "airtill/web/frame"

// Screens are the pages of this room.
type Screens struct{ *frame.Server }
