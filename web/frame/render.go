package frame

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/web/pieces"
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
	zipped := d.page.Len() > worthZipping && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip")
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
