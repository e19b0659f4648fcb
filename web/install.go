package web

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"

	"airtill/web/static"
	"airtill/web/templates"
)

// The till can be installed like a program: a manifest says how it looks, a
// worker in the browser keeps the shell and answers when nobody else does.

// webManifest is how a browser describes an installed page (W3C Web App
// Manifest).
type webManifest struct {
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

// manifest is GET /manifest.webmanifest.
func (s *Server) manifest(c *gin.Context) error {
	l := s.localeOf(c.Request)
	body, err := json.Marshal(webManifest{
		Name: "airtill", ShortName: "airtill", Description: l.Text("login.slogan"), Lang: l.Language(), Dir: string(l.Direction()),
		ID: "/", StartURL: "/", Scope: "/", Display: "standalone", BackgroundColor: "#14161c", ThemeColor: "#14161c",
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

// offlinePath is the page that the worker keeps.
const offlinePath = "/offline"

// worker is GET /worker.js, the same for everyone.
func (s *Server) worker(c *gin.Context) error {
	c.Data(http.StatusOK, "text/javascript; charset=utf-8", static.Worker())
	return nil
}

// offline is GET /offline: what the worker shows where a page cannot be had. It
// says nothing of anybody.
func (s *Server) offline(c *gin.Context) error {
	return s.render(c, http.StatusOK, templates.Offline(s.localeOf(c.Request)))
}
