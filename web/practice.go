package web

import (
	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
)

// practising says whether this session sells to nobody: the same screens, and
// transfers to a product's test number, which the upstream carries out nowhere.
func (s *Server) practising(c *gin.Context) bool {
	return s.d.Practice && s.sessions.GetString(c.Request.Context(), sessionPractice) != ""
}

// practice is POST /practice (field on): practice begins, or ends.
func (s *Server) practice(c *gin.Context) error {
	if !s.d.Practice {
		return fault.New(fault.NotFound, "")
	}
	s.sessions.Put(c.Request.Context(), sessionPractice, c.PostForm("on"))
	return redirect(c, "/counter")
}
