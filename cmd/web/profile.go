//go:build profile

package main

import (
	"log/slog"
	"net/http"
	_ "net/http/pprof" // on the default mux, which serves nothing else
	"os"
	"time"
)

// A build with -tags profile, for make profile only, serves profiles at an address of its own.
func init() {
	server := &http.Server{Addr: os.Getenv("AIRTILL_PROFILE_ADDR"), ReadHeaderTimeout: time.Minute}
	if server.Addr != "" {
		go func() { slog.Error("profile.ended", "error", server.ListenAndServe()) }()
	}
}
