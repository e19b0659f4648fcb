package web

import "net/http"

// harden gives every answer, page, file or error, the headers that tell a
// browser what it may do with it. A file replaces Cache-Control by its own.
func (s *Server) harden(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nonce := "'nonce-" + exchangeOf(r.Context()).nonce + "'"
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self' "+nonce+"; style-src 'self' "+nonce+
			"; img-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; frame-src 'self'"+
			"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()")
		h.Set("Cache-Control", "no-store")
		if s.https() {
			h.Set("Strict-Transport-Security", "max-age=63072000; includeSubDomains")
		}
		next.ServeHTTP(w, r)
	})
}
