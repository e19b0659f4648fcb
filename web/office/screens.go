// Package office is what the business is set up with, and who looks after it.
package office

import "airtill/web/frame"

// Screens are the pages of this room.
type Screens struct{ *frame.Server }

// New returns them.
func New(s *frame.Server) *Screens { return &Screens{Server: s} }
