// Package machine serves what comes without a person: webhooks, what a browser installs, logos.
package machine

import (
	"time"

	"golang.org/x/sync/semaphore"

	"airtill/web/frame"
)

// Screens are the answers of this room.
type Screens struct {
	*frame.Server
	// how long refused webhooks are gathered before they are written, so that forging many causes few writes
	GatherFor time.Duration
	refusals  refusals
}

// New returns them.
func New(s *frame.Server) *Screens {
	return &Screens{Server: s, GatherFor: time.Minute, refusals: refusals{writing: semaphore.NewWeighted(1)}}
}
