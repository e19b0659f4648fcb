package machine

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"

	"airtill/web/static"
	"airtill/web/templates"
)

// The till can be installed like a program: a manifest says how it looks, and a worker in the browser caches
// the shell and answers when nobody else does.

// WebManifest is how a browser describes an installed page (W3C Web App
// Manifest).
type WebManifest struct {
	Name            string         `json:"name"`
	ShortName       string         `json:"short_name"`
	Description     string         `json:"description"`
	Lang            string         `json:"lang"`
	Dir             string         `json:"dir"`
	ID              string         `json:"id"`
	StartURL        string         `json:"start_url"`
	Scope           string         `json:"scope"`
	Display         string         `json:"display"`
	BackgroundColor string         `json:"background_color"`
	ThemeColor      string         `json:"theme_color"`
	Icons           []manifestIcon `json:"icons"`
}

type manifestIcon struct {
	Source  string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose"`
}

// Manifest is GET /manifest.webmanifest.
func (s *Screens) Manifest(c *gin.Context) error {
	l := s.LocaleOf(c.Request)
	body, err := json.Marshal(WebManifest{
		Name: "airtill", ShortName: "airtill", Description: l.Text("login.slogan"), Lang: l.Language(),
		Dir: string(l.Direction()),
		ID:  "/", StartURL: "/", Scope: "/", Display: "standalone", BackgroundColor: "#14161c", ThemeColor: "#14161c",
		Icons: []manifestIcon{
			{static.URL("icon.svg"), "any", "image/svg+xml", "any"},
			{static.URL("icon-192.png"), "192x192", "image/png", "any"},
			{static.URL("icon-512.png"), "512x512", "image/png", "any"},
			{static.URL("icon-maskable.png"), "512x512", "image/png", "maskable"},
		},
	})
	if err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	c.Data(http.StatusOK, "application/manifest+json", body)
	return nil
}

// Worker is GET /worker.js, the same for everyone.
func (s *Screens) Worker(c *gin.Context) error {
	c.Data(http.StatusOK, "text/javascript; charset=utf-8", static.Worker())
	return nil
}

// Offline is GET /offline: what the worker shows for a page it cannot get. It names nobody.
func (s *Screens) Offline(c *gin.Context) error {
	return s.Render(c, http.StatusOK, templates.Offline(s.LocaleOf(c.Request)))
}

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
