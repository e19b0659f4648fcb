package web

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"airtill/internal/app"
	"airtill/internal/audit"
	"airtill/internal/harness/storetest"
	"airtill/internal/health"
	"airtill/internal/invariant"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
)

const password = "correct zebra battery" // of every user here

var (
	noon  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	setup = audit.Command("test")
)

// bench is a till in a browser of a test's own: database, clock and server.
type bench struct {
	crew

	t        testing.TB
	db       *store.DB
	staff    *staff.Service
	server   *Pages
	checks   *invariant.Service
	http     *httptest.Server
	log      *lockedBuffer
	upstream string // the simulator's address, where a test has one

	mu  sync.Mutex
	now time.Time
}

// crew is a shop and who works there.
type crew struct {
	shop  staff.Shop
	tills []staff.Till
	users map[staff.Role]staff.User // one of each role, named like it
}

// nowhere is an upstream that does not answer.
var nowhere = app.Config{UpstreamBaseURL: "http://127.0.0.1:1", UpstreamAPIKey: "key"}

// newBench starts a server with the real routes and those of the test. Its upstream
// does not answer.
func newBench(t testing.TB, db *store.DB, change func(*frame.Deps), extra ...frame.Route) *bench {
	t.Helper()
	b := stoppedBench(t, db)
	b.start(nowhere, change, extra...)
	return b
}

// stoppedBench has a clock and no server yet.
func stoppedBench(t testing.TB, db *store.DB) *bench {
	t.Helper()
	return &bench{t: t, db: db, now: noon, log: &lockedBuffer{}, crew: crew{users: map[staff.Role]staff.User{}}}
}

func (b *bench) start(c app.Config, change func(*frame.Deps), extra ...frame.Route) {
	t := b.t
	t.Helper()
	log := b.logger()
	a := b.build(c, log)
	if len(b.users) == 0 {
		b.hire()
		b.openShift(a)
	}
	b.checks = a.Invariants
	d := On(a)
	d.Health = d.Health.With(func(h *health.Deps) { h.Sells, h.Writes = nil, nil }) // nothing was started
	if change != nil {
		change(&d)
	}
	var err error
	b.server, err = newPages(d)
	require.NoError(t, err)
	handler, err := b.server.Handle(append(append(b.server.routes(), whoami), extra...))
	require.NoError(t, err)
	b.http = httptest.NewUnstartedServer(handler)
	b.http.Config = frame.NewHTTPServer("", handler, log)
	b.http.Start()
	storetest.AtEnd(t, b.http, (*httptest.Server).Close)
}

func (b *bench) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (b *bench) hire() {
	b.t.Helper()
	var err error
	b.shop, b.tills, err = b.staff.CreateShop(b.t.Context(), setup, staff.NewShop{Name: "Main Street", Zone: "Europe/Dublin", Country: "IE", Currency: "EUR", Tills: 2})
	require.NoError(b.t, err)
	for _, role := range staff.Roles() {
		n := staff.NewUser{Username: string(role), Role: role, Password: password}
		if role.InShop() {
			n.ShopID = b.shop.ID
		}
		b.users[role], err = b.staff.CreateUser(b.t.Context(), setup, n)
		require.NoError(b.t, err)
	}
}

func (b *bench) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bench) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

// lockedBuffer takes the log of many requests at once.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// browser keeps cookies and follows no redirects. Like a browser it says where
// its requests come from; header replaces or removes (nil) what it says.
type browser struct {
	b       *bench
	cookies map[string]*http.Cookie
	header  http.Header
}

func (b *bench) browser() *browser {
	return &browser{b: b, cookies: map[string]*http.Cookie{}, header: http.Header{"Sec-Fetch-Site": {"same-origin"}, "Accept": {"text/html"}}}
}

// answer is a response that has been read.
type answer struct {
	*http.Response
	body string
}

func (a answer) page(t testing.TB) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(a.body))
	require.NoError(t, err)
	return doc
}

func (w *browser) do(method, path string, body io.Reader, header http.Header) answer {
	w.b.t.Helper()
	r, err := http.NewRequestWithContext(w.b.t.Context(), method, w.b.http.URL+path, body)
	require.NoError(w.b.t, err)
	for _, set := range []http.Header{w.header, header} {
		for name, values := range set {
			r.Header[name] = values
		}
	}
	for _, cookie := range w.cookies {
		r.AddCookie(&http.Cookie{Name: cookie.Name, Value: cookie.Value}) // over the test's plain http, Secure or not
	}
	response, err := w.b.http.Client().Transport.RoundTrip(r)
	require.NoError(w.b.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(w.b.t, err)
	for _, cookie := range response.Cookies() {
		w.cookies[cookie.Name] = cookie
		if cookie.MaxAge < 0 {
			delete(w.cookies, cookie.Name)
		}
	}
	return answer{response, string(text)}
}

func (w *browser) get(path string) answer {
	w.b.t.Helper()
	return w.do(http.MethodGet, path, nil, nil)
}

func (w *browser) post(path string, form url.Values) answer {
	w.b.t.Helper()
	return w.do(http.MethodPost, path, strings.NewReader(form.Encode()), http.Header{"Content-Type": {"application/x-www-form-urlencoded"}})
}

// signIn logs in as the user of a role.
func (b *bench) signIn(role staff.Role) *browser {
	b.t.Helper()
	w := b.browser()
	got := w.post("/login", url.Values{"username": {string(role)}, "password": {password}})
	require.Equal(b.t, http.StatusSeeOther, got.StatusCode, got.body)
	return w
}

// whoami is a page of the test's own for anyone signed in: what is tested with
// it is the frame and not a screen.
var whoami = frame.Route{Method: "GET", Path: "/whoami", Permission: frame.SignedIn, Handle: func(c *gin.Context) error {
	c.String(http.StatusOK, frame.Present(c).User.Username)
	return nil
}}

// who returns the username that the server knows the browser by, "" if it asks
// to sign in.
func (w *browser) who() string {
	w.b.t.Helper()
	got := w.get("/whoami")
	if got.StatusCode == http.StatusSeeOther {
		require.Equal(w.b.t, "/login?next=%2Fwhoami", got.Header.Get("Location"))
		return ""
	}
	require.Equal(w.b.t, http.StatusOK, got.StatusCode, got.body)
	return got.body
}

// session returns the session cookie's value, "" if there is none.
func (w *browser) session() string {
	if cookie := w.cookies[w.b.server.CookieName("session")]; cookie != nil {
		return cookie.Value
	}
	return ""
}

// each runs a test with a fresh server on every database.
func each(t *testing.T, test func(t *testing.T, b *bench), extra ...frame.Route) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) { test(t, newBench(t, db, nil, extra...)) })
}

func text(words string) func(*gin.Context) error {
	return func(c *gin.Context) error {
		c.String(http.StatusOK, words)
		return nil
	}
}

func TestRouteWithoutPermissionDoesNotStart(t *testing.T) {
	t.Parallel()
	s := newBench(t, storetest.New(t), nil).server
	for _, r := range []frame.Route{
		{Method: "GET", Path: "/x", Handle: text("x")},
		{Method: "GET", Path: "/x", Handle: text("x"), Permission: "fly"},
		{Method: "GET", Path: "/x", Permission: frame.Public},
	} {
		_, err := s.Handle([]frame.Route{r})
		require.ErrorContains(t, err, "/x")
	}
	_, err := s.Handle([]frame.Route{{Method: "GET", Path: "/x", Handle: text("x"), Permission: staff.Sell}})
	require.NoError(t, err)
}

func TestServerBoundsWhatAClientCanDraw(t *testing.T) {
	t.Parallel()
	server := frame.NewHTTPServer("127.0.0.1:0", nil, slog.New(slog.DiscardHandler))
	for _, bound := range []time.Duration{server.ReadHeaderTimeout, server.ReadTimeout, server.WriteTimeout, server.IdleTimeout} {
		require.Positive(t, bound)
		require.LessOrEqual(t, bound, 2*time.Minute)
	}
	require.LessOrEqual(t, server.MaxHeaderBytes, 64<<10)
}

// waitFor polls until a thing holds.
func waitFor(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("never happened: " + what)
		}
	}
}
