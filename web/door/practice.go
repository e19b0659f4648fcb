package door

import (
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/web/frame"
)

// Practice is POST /practice (field on): practice begins or ends.
func (s *Screens) Practice(c *gin.Context) error {
	if !s.D.Practice {
		return fault.New(fault.NotFound, "")
	}
	s.Sessions.Put(c.Request.Context(), frame.SessionPractice, c.PostForm("on"))
	return frame.Redirect(c, "/counter")
}
