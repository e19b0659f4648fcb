package frame

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/web/pieces"
	"airtill/web/static"
)

// rendering is a page that is being rendered, and the answer made of it.
type rendering struct {
	page   pieces.Page
	answer bytes.Buffer
}

// renderings are reused. A page is whole before any of it is sent, so that one that fails becomes an error page and
// never half a page.
var renderings = sync.Pool{New: func() any { return new(rendering) }}

const largestPooled = 256 << 10 // larger ones are not reused

// Render answers with a page.
func (s *Server) Render(c *gin.Context, status int, page templ.Component) error {
	return s.renderTo(c.Writer, c.Request, status, page)
}

func (s *Server) renderTo(w http.ResponseWriter, r *http.Request, status int, page templ.Component) error {
	d := renderings.Get().(*rendering)
	defer func() {
		if d.page.Len() <= largestPooled {
			d.page.Reset()
			d.answer.Reset()
			renderings.Put(d)
		}
	}()
	ctx := templ.WithNonce(r.Context(), ExchangeOf(r.Context()).nonce)
	if err := page.Render(ctx, &d.page); err != nil {
		return fmt.Errorf("render page: %w", err)
	}
	zipped := d.page.Len() > worthZipping && static.TakesGzip(r)
	if !zipped {
		d.page.Plain(&d.answer)
	} else if err := d.page.Zipped(&d.answer); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept-Encoding")
	if zipped {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(d.answer.Len()))
	w.WriteHeader(status)
	_, err := w.Write(d.answer.Bytes())
	return err
}

const worthZipping = 1 << 10 // bytes

// harden gives every answer (page, file or error) the headers that tell browsers what they may do with it.
// Files replace Cache-Control by their own.
func (s *Server) harden(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nonce := "'nonce-" + ExchangeOf(r.Context()).nonce + "'"
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self' "+nonce+"; style-src 'self' "+nonce+
			"; img-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; "+
			"frame-src 'self'"+
			"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set(
			"Permissions-Policy",
			"accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), "+
				"microphone=(), midi=(), payment=(), usb=()",
		)
		h.Set("Cache-Control", "no-store")
		if s.https() {
			h.Set("Strict-Transport-Security", "max-age=63072000; includeSubDomains")
		}
		if s.misdirected(r) {
			http.Error(
				w, "This address is not the till's. It answers at "+s.Public.Host+".", http.StatusMisdirectedRequest,
			)
			return
		}
		if strings.ContainsRune(r.URL.Path, 0) { // no address of ours, and no text to PostgreSQL
			http.NotFound(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// misdirected says whether a request came by a name that may be somebody else's: a foreign page can point its
// own name at this machine (DNS rebinding) and read the till's answers. An IP address cannot be pointed
// elsewhere, nor can a name without a dot, as used by proxies and probes of a private network.
func (s *Server) misdirected(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	_, err := netip.ParseAddr(host)
	return err != nil && strings.Contains(host, ".") && !strings.EqualFold(host, s.Public.Hostname())
}
