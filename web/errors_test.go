package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
)

func panics(*gin.Context) error { panic("canary in a panic") }

// failing is a route that returns an error.
func failing(path string, err error) frame.Route {
	return frame.Route{Method: "GET", Path: path, Permission: frame.Public, Handle: func(*gin.Context) error { return err }}
}

func TestErrorsBecomePages(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil,
		failing("/invalid", fault.New(fault.Invalid, "amount.zero")),
		failing("/missing", fault.New(fault.NotFound, "sale.none")),
		failing("/conflict", fault.New(fault.Conflict, "sale.no-refund")),
		failing("/forbidden", fault.New(fault.Forbidden, "approval.own")),
		failing("/unavailable", fault.Wrap(errors.New("canary beneath"), fault.Unavailable, "login.busy")),
		failing("/unsure", fmt.Errorf("sell: %w", fault.New(fault.Unsure, "sale.unsure"))),
		failing("/lost", fmt.Errorf("open shift: %w", fault.New(fault.Unsure, "database.lost"))),
		failing("/defect", errors.New("canary in an error")),
		failing("/slow-down", frame.TooMany{Wait: 90 * time.Second}),
		frame.Route{Method: "GET", Path: "/panic", Permission: frame.Public, Handle: panics},
	)
	for path, want := range map[string]struct {
		status int
		words  string
	}{
		"/invalid": {422, "The amount must be more than zero."}, "/missing": {404, "There is no such sale."}, "/conflict": {409, "There is nothing to give back for this sale."},
		"/forbidden": {403, "Somebody else must allow"}, "/unavailable": {503, "Try again in a moment."}, "/unsure": {503, "Look the sale up before you do it again."},
		"/lost":   {503, "Check whether it was saved before you do it again."},
		"/defect": {500, "The fault is ours"}, "/slow-down": {429, "Wait a moment"}, "/panic": {500, "The fault is ours"}, "/nowhere": {404, "This page does not exist"},
	} {
		for who, w := range map[string]*browser{"a stranger": b.browser(), "a user": b.signIn(staff.Cashier)} {
			got := w.get(path)
			require.Equal(t, want.status, got.StatusCode, "%s for %s", path, who)
			require.Equal(t, "text/html; charset=utf-8", got.Header.Get("Content-Type"))
			page := got.page(t)
			require.Contains(t, page.Find("[role=alert]").Text(), want.words, path)
			id := got.Header.Get("X-Correlation-Id")
			require.Contains(t, page.Find("[role=alert]").Text(), id, "the page names the request")
			require.Contains(t, b.log.String(), id)
			require.NotContains(t, got.body, "canary", path)
			require.Equal(t, who == "a user", page.Find("form[action='/logout']").Length() > 0, "%s for %s", path, who)
		}
		plain := b.browser().do("GET", path, nil, http.Header{"Accept": {"application/json"}})
		require.Equal(t, want.status, plain.StatusCode, path)
		require.NotContains(t, plain.body, "<", path)
		require.NotContains(t, plain.body, "canary", path)
	}
	require.Equal(t, "90", b.browser().get("/slow-down").Header.Get("Retry-After"))
	require.Equal(t, http.StatusMethodNotAllowed, b.browser().do("DELETE", "/login", nil, nil).StatusCode)
	require.Contains(t, b.browser().get("/metrics").body, "web_panics_total 3", "recovered panics are counted")
	require.Contains(t, b.log.String(), "canary in an error", "the log keeps the cause")
	require.NotContains(t, b.log.String(), "canary in a panic", "but not what a panic says, which may be anything")
}

func TestHalfAPageIsNeverSent(t *testing.T) {
	t.Parallel()
	var b *bench
	broken := templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, _ = io.WriteString(w, "half a page")
		return errors.New("the other half is missing")
	})
	b = newBench(t, storetest.New(t), nil,
		frame.Route{Method: "GET", Path: "/half", Permission: frame.Public, Handle: func(c *gin.Context) error { return b.server.Render(c, http.StatusOK, broken) }})
	got := b.browser().get("/half")
	require.Equal(t, http.StatusInternalServerError, got.StatusCode)
	require.NotContains(t, got.body, "half a page")
}

// A panic after the answer has begun cuts the connection: nobody may take what
// has arrived for the whole.
func TestPanicInMidAnswerIsSeen(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil, frame.Route{Method: "GET", Path: "/cut", Permission: frame.Public, Handle: func(c *gin.Context) error {
		c.String(http.StatusOK, "the first part")
		c.Writer.Flush()
		panic("boom")
	}})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.http.URL+"/cut", nil)
	require.NoError(t, err)
	response, err := b.http.Client().Transport.RoundTrip(r)
	require.NoError(t, err)
	defer response.Body.Close()
	_, err = io.ReadAll(response.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestWithoutADatabaseNothingOpens(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, url string) {
		db, err := store.Open(t.Context(), url)
		require.NoError(t, err)
		b := newBench(t, db, nil, frame.Route{Method: "GET", Path: "/inside", Permission: frame.SignedIn, Handle: text("inside")})
		w := b.signIn(staff.Cashier)
		require.NoError(t, db.Close())
		for _, path := range []string{"/inside", "/whoami", "/login", "/readyz"} {
			got := w.get(path)
			require.Equal(t, http.StatusServiceUnavailable, got.StatusCode, path)
			require.NotContains(t, got.body, "inside")
		}
		require.Equal(t, http.StatusOK, b.browser().get("/healthz").StatusCode)
		require.Equal(t, http.StatusOK, b.browser().get("/login").StatusCode)
		tried := b.browser().post("/login", loginAs("cashier"))
		require.Equal(t, http.StatusServiceUnavailable, tried.StatusCode)
		require.Empty(t, tried.Cookies())
	})
}

// A session that cannot be saved is not begun: the browser learns so, and gets
// neither a cookie nor the page that was meant for someone signed in.
func TestSessionThatCannotBeSavedIsNotBegun(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var b *bench
		b = newBench(t, db, nil, frame.Route{Method: "POST", Path: "/begin", Permission: frame.Public, Handle: func(c *gin.Context) error {
			if err := b.server.Begin(c.Request.Context(), b.users[staff.Admin], ""); err != nil {
				return err
			}
			return b.server.Render(c, http.StatusOK, templ.Raw("welcome, admin"))
		}})
		require.Equal(t, "welcome, admin", b.browser().post("/begin", nil).body)
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
			storetest.AsOwner(t, tx)
			return tx.Exec("ALTER TABLE sessions RENAME TO sessions_gone").Error
		}))
		w := b.browser()
		for reads, told := range map[string]string{
			"text/html": "The fault is ours", "application/json": "Internal Server Error",
		} {
			got := w.do(http.MethodPost, "/begin", nil, http.Header{"Accept": {reads}})
			require.Equal(t, http.StatusInternalServerError, got.StatusCode)
			require.NotContains(t, got.body, "welcome")
			require.Contains(t, got.body, told)
			require.Empty(t, w.cookies)
		}
	})
}

// TestASessionThatCannotEndIsSaidToBeSo: whoever changes their password gets another session in place of this one. If the
// database goes away in between, the page and the log say that, and not that there is a fault in the till.
func TestASessionThatCannotEndIsSaidToBeSo(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		var b *bench
		begin := func(c *gin.Context) error {
			return b.server.Begin(c.Request.Context(), b.users[staff.Admin], "")
		}
		b = newBench(t, db, nil, frame.Route{Method: "POST", Path: "/begin", Permission: frame.SignedIn, Handle: begin})
		w := b.signIn(staff.Admin)
		goes := []string{
			"CREATE TRIGGER goes BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'it goes away'); END",
		}
		status, told := http.StatusInternalServerError, "The fault is ours"
		if db.Dialect() == store.Postgres {
			goes = []string{
				`CREATE FUNCTION goes() RETURNS trigger LANGUAGE plpgsql AS
					$$ BEGIN RAISE 'it goes away' USING ERRCODE = 'admin_shutdown'; END $$`,
				"CREATE TRIGGER goes BEFORE DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION goes()",
			}
			status, told = http.StatusServiceUnavailable, "The till lost its database while saving"
		}
		require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
			storetest.AsOwner(t, tx)
			for _, sql := range goes {
				require.NoError(t, tx.Exec(sql).Error)
			}
			return nil
		}))
		got := w.post("/begin", nil)
		require.Equal(t, status, got.StatusCode, got.body)
		require.Contains(t, got.body, told)
		require.Equal(t, 1, strings.Count(b.log.String(), "http.failed"), b.log.String())
		require.Equal(t, "admin", w.who(), "it has not ended")
	})
}

func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil,
		frame.Route{Method: "POST", Path: "/upload", Permission: frame.Public, MaxBody: 4 << 20, Handle: text("taken")})
	two := "password=" + strings.Repeat("x", 2<<20)
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	require.Equal(t, http.StatusRequestEntityTooLarge, b.browser().do("POST", "/login", strings.NewReader(two), header).StatusCode)
	require.Equal(t, "taken", b.browser().do("POST", "/upload", strings.NewReader(two), header).body)
	some := "password=" + strings.Repeat("x", 100<<10) // thousands who are not signed in may send it at once
	for _, path := range []string{"/login", "/language", "/counter"} {
		require.Equal(t, http.StatusRequestEntityTooLarge, b.browser().do("POST", path, strings.NewReader(some), header).StatusCode, path)
	}
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, b.browser().do("GET", "/login", nil, http.Header{"X-Long": {strings.Repeat("x", 100<<10)}}).StatusCode)
	for _, broken := range []string{"%zz=1", "a=%", "a;b"} {
		require.Equal(t, http.StatusUnprocessableEntity, b.browser().do("POST", "/login", strings.NewReader(broken), header).StatusCode, broken)
	}
	multipart := http.Header{"Content-Type": {"multipart/form-data; boundary=x"}}
	require.Equal(t, http.StatusUnprocessableEntity, b.browser().do("POST", "/login", strings.NewReader("nonsense"), multipart).StatusCode)
}

func TestSlowHeadersAreCutOff(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a real time-out")
	}
	b := newBench(t, storetest.New(t), nil)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", b.http.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "))
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(4*frame.ReadHeaderWithin)))
	_, err = io.Copy(io.Discard, conn)
	require.NoError(t, err, "the server, not the test, ends it")
}

func TestLogHoldsNoNumbersAndNoSecrets(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil, frame.Route{Method: "GET", Path: "/things/:id", Permission: staff.ViewShopSales, Handle: text("a thing")})
	w := b.signIn(staff.Cashier)
	_ = w.get("/things/353871234567?number=353871234567")
	_ = w.get("/353871234567")
	_ = w.post("/login", loginAs("353871234567"))
	waitFor(t, "the last line", func() bool { return strings.Count(b.log.String(), "msg=http.request ") >= 4 })
	require.Contains(t, b.log.String(), `route=/things/:id status=200`)
	require.Contains(t, b.log.String(), "user="+b.users[staff.Cashier].ID)
	for _, canary := range []string{"353871234567", password, w.session()} {
		require.NotContains(t, b.log.String(), canary)
	}
}

func TestLargePagesAreZipped(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	got := b.browser().do("GET", "/login", nil, http.Header{"Accept-Encoding": {"gzip"}})
	require.Equal(t, "gzip", got.Header.Get("Content-Encoding"))
	reader, err := gzip.NewReader(bytes.NewReader([]byte(got.body)))
	require.NoError(t, err)
	whole, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Contains(t, string(whole), "</html>")
	require.Less(t, len(got.body), len(whole))
	for _, encoding := range []string{"identity", "gzip;q=0"} {
		plain := b.browser().do("GET", "/login", nil, http.Header{"Accept-Encoding": {encoding}})
		require.Empty(t, plain.Header.Get("Content-Encoding"), encoding)
		require.Contains(t, plain.body, "</html>", encoding)
	}
}

// A stream outlives the server's bound on writing, through every layer of the
// frame; an ordinary answer does not.
func TestStreamsGoOn(t *testing.T) {
	t.Parallel()
	endless := func(c *gin.Context) error {
		c.Header("Content-Type", "text/event-stream")
		ticks := time.NewTicker(2 * time.Millisecond)
		defer ticks.Stop()
		for {
			if _, err := io.WriteString(c.Writer, "data: x\n\n"); err != nil {
				return err
			}
			c.Writer.Flush()
			select {
			case <-ticks.C:
			case <-c.Request.Context().Done():
				return nil
			}
		}
	}
	b := newBench(t, storetest.New(t), nil,
		frame.Route{Method: "GET", Path: "/stream", Permission: frame.Public, Handle: endless, Stream: true},
		frame.Route{Method: "GET", Path: "/answer", Permission: frame.Public, Handle: endless})
	hasty := httptest.NewUnstartedServer(b.http.Config.Handler)
	hasty.Config.WriteTimeout = 100 * time.Millisecond
	hasty.Start()
	defer hasty.Close()
	for path, lives := range map[string]bool{"/stream": true, "/answer": false} {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, hasty.URL+path, nil)
		require.NoError(t, err)
		started := time.Now()
		response, err := hasty.Client().Transport.RoundTrip(r)
		require.NoError(t, err)
		for err == nil && time.Since(started) < 500*time.Millisecond {
			_, err = io.ReadFull(response.Body, make([]byte, len("data: x\n\n")))
		}
		require.Equal(t, lives, err == nil, "%s: %v", path, err)
		cancel()
		response.Body.Close()
	}
}

func loginAs(username string) url.Values {
	return url.Values{"username": {username}, "password": {password}}
}
