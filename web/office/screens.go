// Package office is how the business is set up, and by whom it is looked after.
package office

import "airtill/web/frame"

// Screens are the pages of this room.
type Screens struct{ *frame.Server }
