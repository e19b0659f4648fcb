package web

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"airtill/internal/catalog"
)

// nothing is a PNG of one transparent pixel: where a logo cannot be had, the
// letters behind it show.
const nothing = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\b\x06\x00\x00\x00\x1f\x15\xc4\x89" +
	"\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82"

// logo is GET /logos/{provider}. The address it comes from is the catalogue's,
// never the visitor's.
func (s *Server) logo(c *gin.Context) error {
	var picture []byte
	if p, known := s.d.Catalog.Current().Provider(c.Param("provider")); known {
		var err error
		if picture, err = s.d.Logos.Logo(c.Request.Context(), p.LogoURL); err != nil {
			return err
		}
	}
	keep := "private, max-age=86400"
	if picture == nil {
		picture, keep = []byte(nothing), "private, max-age=3600"
	}
	c.Header("Cache-Control", keep)
	c.Data(http.StatusOK, "image/png", picture)
	return nil
}

// logoURL is where a page finds a provider's logo, "" if it has none. It changes
// with the address that the catalogue names, so that browsers may keep it.
func logoURL(p *catalog.Provider) string {
	if p.LogoURL == "" {
		return ""
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(p.LogoURL)) // a hash never fails
	return fmt.Sprintf("/logos/%s?v=%08x", url.PathEscape(p.Code), hash.Sum32())
}
