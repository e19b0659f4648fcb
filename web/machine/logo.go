package machine

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// Nothing is a PNG of one transparent pixel: without a logo, the letters behind it show.
const Nothing = "" +
	"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\b\x06\x00\x00\x00\x1f\x15\xc4\x89" +
	"\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82"

// Logo is GET /logos/{provider}. The address it comes from is the catalogue's,
// never the visitor's.
func (s *Screens) Logo(c *gin.Context) error {
	var picture []byte
	if p, known := s.D.Catalog.Current().Provider(c.Param("provider")); known {
		var err error
		if picture, err = s.D.Logos.Logo(c.Request.Context(), p.LogoURL); err != nil {
			return err
		}
	}
	keep := "private, max-age=86400"
	if picture == nil {
		picture, keep = []byte(Nothing), "private, max-age=3600"
	}
	c.Header("Cache-Control", keep)
	c.Data(http.StatusOK, "image/png", picture)
	return nil
}
