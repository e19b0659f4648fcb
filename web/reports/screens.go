// Package reports is the day at a glance, reports and what is mailed of them.
package reports

import "airtill/web/frame"

// Screens are the pages of this room.
type Screens struct{ *frame.Server }

// New returns them.
func New(s *frame.Server) *Screens { return &Screens{Server: s} }
