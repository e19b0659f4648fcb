// Package reports is the day at a glance, and reports, on screen and by mail.
package reports

import "airtill/web/frame"

// Screens are the pages of this room.
type Screens struct{ *frame.Server }
