// Package counter is selling: from the number to the confirm page and the sale, and the customer book.
package counter

import (
	"github.com/gin-gonic/gin"

	"airtill/web/frame"
)

// Screens are the pages of this room.
type Screens struct {
	*frame.Server
	askForShift func(*gin.Context, int, string) error
}

// New returns them. askForShift shows the form that opens a shift.
func New(s *frame.Server, askForShift func(c *gin.Context, status int, problem string) error) *Screens {
	return &Screens{Server: s, askForShift: askForShift}
}
