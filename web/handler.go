package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"
	"golang.org/x/text/language"

	"airtill/internal/approval"
	"airtill/internal/fault"
	"airtill/internal/staff"
	"airtill/web/locale"
	"airtill/web/static"
	"airtill/web/templates"
)

// exchange is what the frame knows of one request and its answer.
type exchange struct {
	id       string // names the request in the log and on error pages
	nonce    string // allows a script or style of this answer alone
	route    string // the pattern, never the path itself: paths and queries carry numbers
	token    string // of the session, "" if nobody is signed in
	presence staff.Presence
	signedIn bool
	found    staff.Presence // of whom the session was loaded
	foundBy  string         // by which token; "": nobody
	office   bool           // the page belongs to the office
	locks    bool           // the screen locks when nobody is there
	writer   *recorder

	act             approval.Act // that the request asks for, where somebody may have to allow it
	about           question     // what they are asked
	approvalProblem string       // why nobody allowed what the request asked for
}

type exchangeKey struct{}

// exchangeOf returns the request's exchange; observe has put it there.
func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// present returns who is there; on routes that need a permission there always
// is someone.
func present(c *gin.Context) staff.Presence { return exchangeOf(c.Request.Context()).presence }

// partial says whether htmx asked for a piece of a page.
func partial(r *http.Request) bool { return r.Header.Get("HX-Request-Type") == "partial" }

// serve is the one adapter between gin and handlers that return errors.
func (s *Server) serve(r route) gin.HandlerFunc {
	return func(c *gin.Context) {
		x := exchangeOf(c.Request.Context())
		x.route, x.office = r.path, r.office
		err := s.guard(c, r)
		if err == nil {
			err = r.handle(c)
		}
		if errors.Is(err, errOwnPassword) && readsPages(c.Request) && !r.stream && !partial(c.Request) {
			err = redirect(c, passwordPath)
		}
		var frozen errFrozen
		if errors.As(err, &frozen) {
			err = s.showFrozen(c, frozen)
		}
		if err != nil {
			s.fail(c.Writer, c.Request, err)
		}
	}
}

// guard lets through what may go through, and nothing else.
func (s *Server) guard(c *gin.Context, r route) error {
	maxBody := r.maxBody
	if maxBody == 0 {
		maxBody = defaultMaxBody
	}
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, maxBody)
	if !r.crossSite {
		if err := s.checkOrigin(c.Request); err != nil {
			return err
		}
	}
	if err := s.arrive(c, r); err != nil {
		return err
	}
	if err := s.checkLimit(c, r); err != nil {
		return err
	}
	if !r.crossSite {
		if err := s.checkForm(c); err != nil {
			return err
		}
	}
	if r.stream {
		return http.NewResponseController(c.Writer).SetWriteDeadline(time.Time{})
	}
	return nil
}

// arrive finds out who is there and whether they may be.
func (s *Server) arrive(c *gin.Context, r route) error {
	if err := s.recognise(c, r); err != nil {
		return err
	}
	x := exchangeOf(c.Request.Context())
	switch {
	case r.permission == public:
		return nil
	case !x.signedIn:
		return errSignIn{stream: r.stream, next: r.comeBack(c)}
	case x.presence.User.MustChangePassword() && r.path != passwordPath && r.path != "/logout":
		return errOwnPassword
	case r.permission == signedIn, x.presence.User.Can(r.permission), r.orElse != "" && x.presence.User.Can(r.orElse):
		return nil
	}
	return fault.New(fault.Forbidden, "")
}

// redirect sends the browser to a path of ours after a POST; a reload then
// repeats nothing.
func redirect(c *gin.Context, path string) error {
	c.Redirect(http.StatusSeeOther, path)
	return nil
}

// frame is what stands around a signed-in page.
func (s *Server) frame(c *gin.Context) templates.Frame { return s.frameOf(c.Request) }

// idleLock is how long nobody touches a till before its screen locks.
const idleLock = 3 * time.Minute

func (s *Server) frameOf(r *http.Request) templates.Frame {
	x := exchangeOf(r.Context())
	p := x.presence
	f := templates.Frame{
		Locale: s.localeOf(r), CSRF: s.formToken(r), Path: r.URL.Path, Logos: s.d.Logos.Any(), Back: pageOfRequest(r),
		Shop: p.Shop.Name, Till: p.Till.Name, User: p.User.DisplayName, May: places(p.User),
	}
	if x.locks {
		f.LockAfter = int(idleLock.Seconds())
	}
	return f
}

// places says where the navigation may lead.
func places(u staff.User) templates.Permissions {
	return templates.Permissions{
		Sell:  u.Can(staff.Sell),
		Sales: u.Can(staff.ViewShopSales) || u.Can(staff.ViewAllSales),
		Shift: u.Can(staff.RunShift),
		Today: u.Can(staff.ViewReports), Reports: u.Can(staff.ViewReports), Reconcile: u.Can(staff.ViewReconcile),
		Admin: mayAdmin(u), Health: u.Can(staff.Operate) || u.Can(staff.ViewReports),
	}
}

// localeOf is how the person reads: in the language of their account, else the
// one chosen on this browser, else the browser's own; with the numbers of their
// shop's country and in its zone.
func (s *Server) localeOf(r *http.Request) locale.Locale {
	x := exchangeOf(r.Context())
	tag := locale.Match(s.cookie(r, languageCookie), r.Header.Get("Accept-Language"))
	if !x.signedIn {
		return locale.New(tag, nil)
	}
	if own, err := language.Parse(x.presence.User.Locale); err == nil {
		tag = own
	}
	return locale.New(locale.At(tag, x.presence.Shop.Country), x.presence.Shop.Location())
}

// buffers hold pages while they are rendered, so that a page that cannot be
// finished becomes an error page and never half a page.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const keepBuffer = 256 << 10 // a larger one is not kept

// render answers with a page.
func (s *Server) render(c *gin.Context, status int, page templ.Component) error {
	return s.renderTo(c.Writer, c.Request, status, page)
}

func (s *Server) renderTo(w http.ResponseWriter, r *http.Request, status int, page templ.Component) error {
	buffer := buffers.Get().(*bytes.Buffer)
	buffer.Reset()
	defer func() {
		if buffer.Cap() <= keepBuffer {
			buffers.Put(buffer)
		}
	}()
	ctx := templ.WithNonce(r.Context(), exchangeOf(r.Context()).nonce)
	if err := page.Render(ctx, buffer); err != nil {
		return fmt.Errorf("render page: %w", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return send(w, r, status, buffer.Bytes())
}

const worthZipping = 1 << 10 // bytes

// send writes a finished body, compressed where the client takes it.
func send(w http.ResponseWriter, r *http.Request, status int, body []byte) error {
	w.Header().Add("Vary", "Accept-Encoding")
	if len(body) <= worthZipping || !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.WriteHeader(status)
		_, err := w.Write(body)
		return err
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	zipper := zippers.Get().(*gzip.Writer)
	defer zippers.Put(zipper)
	zipper.Reset(w)
	_, err := zipper.Write(body)
	return errors.Join(err, zipper.Close())
}

// zippers are kept, since a new one costs 800 KB.
var zippers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

func (s *Server) static() func(*gin.Context) error {
	files := static.Handler()
	return func(c *gin.Context) error {
		files.ServeHTTP(c.Writer, c.Request)
		return nil
	}
}
