package dial_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/alert"
	"airtill/internal/apiclient"
	"airtill/internal/audit"
	"airtill/internal/dial"
	"airtill/internal/harness/storetest"
	"airtill/internal/idp"
	"airtill/internal/logo"
	"airtill/internal/mail"
)

// caller asks the server at an address once, which finds hosts as it is told, and returns what it learned: an error,
// or that there was nothing to be had.
type caller struct {
	name   string
	scheme string
	within time.Duration // it has given up
	most   int64         // bytes that it may take of an answer
	call   func(t *testing.T, ctx context.Context, address string, resolve dial.Resolve) error
}

var callers = []caller{
	{"logos", "http", 3 * time.Second, 512 << 10, callLogos},
	{"the alert webhook", "http", 10 * time.Second, 64 << 10, callAlerts},
	{"the identity provider", "http", 10 * time.Second, 1 << 20, callProvider},
	{"webhook keys", "http", 5 * time.Second, 256 << 10, callKeys},
	{"the mail server", "smtp", 30 * time.Second, 1 << 20, callMail},
}

func callLogos(t *testing.T, ctx context.Context, address string, resolve dial.Resolve) error {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	picture, err := logo.New(logo.Deps{
		DB: storetest.New(t), Now: time.Now, Log: slog.New(slog.DiscardHandler), Simulator: u.Host, Resolve: resolve,
	}).Logo(ctx, address)
	if err == nil && picture == nil {
		return io.EOF
	}
	return err
}

func callAlerts(t *testing.T, ctx context.Context, address string, resolve dial.Resolve) error {
	t.Helper()
	db := storetest.New(t)
	post, err := mail.New(mail.Deps{Now: time.Now})
	require.NoError(t, err)
	s := alert.New(alert.Deps{
		DB: db, Mail: post, WebhookURL: address, Secret: "0123456789abcdef", Now: time.Now, Resolve: resolve,
		Log: slog.New(slog.DiscardHandler), Audit: audit.New(audit.Deps{DB: db, Now: time.Now}),
		Rules: []alert.Rule{{Name: "float", Look: func(context.Context) (alert.Tier, []string, error) { return alert.Critical, []string{}, nil }}},
		Words: func(string, alert.Tier, []string) string { return "low" },
	})
	require.NoError(t, s.Look(t.Context()))
	var id string
	require.NoError(t, db.Read(t.Context()).Raw("SELECT id FROM alert_messages").Scan(&id).Error)
	return s.Send(ctx, id)
}

func callProvider(_ *testing.T, ctx context.Context, address string, resolve dial.Resolve) error {
	p, err := idp.New(idp.Deps{Issuer: address, ClientID: "till", ClientSecret: "x", Now: time.Now, Resolve: resolve})
	if err == nil {
		_, _, err = p.Begin(ctx)
	}
	return err
}

func callKeys(_ *testing.T, ctx context.Context, address string, resolve dial.Resolve) error {
	k, err := apiclient.NewWebhookKeys(apiclient.WebhookKeysDeps{AuthURL: address, Now: time.Now, Resolve: resolve})
	if err == nil {
		defer k.Close()
		_, err = k.Refresh(ctx)
	}
	return err
}

func callMail(_ *testing.T, ctx context.Context, address string, resolve dial.Resolve) error {
	u, err := url.Parse(address)
	if err == nil && dial.ThisMachine(u.Hostname()) {
		address += "?tls=none"
	}
	m, err := mail.New(mail.Deps{URL: address, From: "till@example.com", Now: time.Now, Resolve: resolve})
	if err == nil {
		err = m.Send(ctx, mail.Message{To: []string{"owner@example.com"}, Subject: "x", Text: "x"})
	}
	return err
}

// each runs a test for every caller beside the others.
func each(t *testing.T, test func(t *testing.T, c caller)) {
	t.Helper()
	for _, c := range callers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

// counted is a server on this machine that nobody should reach.
func counted(t *testing.T) (port string, reached *atomic.Int64) {
	t.Helper()
	reached = new(atomic.Int64)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			reached.Add(1)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close() })
	_, port, err = net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	return port, reached
}

// A name that leads to this machine, to a link, to what a cloud tells a machine of itself, or both out and in.
func TestNoNameLeadsACallerElsewhere(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c caller) {
		port, reached := counted(t)
		for _, answers := range []string{
			"127.0.0.1", "::1", "::ffff:127.0.0.1", "127.0.0.1 93.184.215.14", "93.184.215.14 127.0.0.1", "93.184.215.14 10.0.0.1",
			"169.254.169.254", "fd00:ec2::254", "100.100.100.200", "fe80::1", "0.0.0.0", "::", "224.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "",
		} {
			asked := 0
			err := c.call(t, t.Context(), c.scheme+"://relay.example.com:"+port, func(context.Context, string) (found []netip.Addr, err error) {
				asked++
				for text := range strings.FieldsSeq(answers) {
					found = append(found, netip.MustParseAddr(text))
				}
				return found, nil
			})
			require.Error(t, err, answers)
			if c.name != "logos" { // whose host is on no list
				require.Equal(t, 1, asked, answers)
			}
		}
		for _, host := range []string{
			"169.254.169.254", "[fe80::1%25lo]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "2130706433", "0x7f000001", "0177.0.0.1", "127.1",
		} {
			require.Error(t, c.call(t, t.Context(), c.scheme+"://"+host+":"+port, func(context.Context, string) ([]netip.Addr, error) {
				return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
			}), host)
		}
		require.Zero(t, reached.Load())
	})
}

// An answer that leads on is an answer that says nothing.
func TestNoCallerIsLedOn(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c caller) {
		if c.scheme == "smtp" {
			return // has no such answer
		}
		port, reached := counted(t)
		for _, code := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
			for _, to := range []string{"http://127.0.0.1:" + port, "http://localhost:" + port + "/", "//127.0.0.1:" + port, "http://169.254.169.254/latest/", "file:///etc/passwd"} {
				front := httptest.NewServer(http.RedirectHandler(to, code))
				require.Error(t, c.call(t, t.Context(), front.URL, nil), "%d %s", code, to)
				front.Close()
			}
		}
		require.Zero(t, reached.Load())
	})
}

// flood is a server that answers without an end, and tells how much went out.
func flood(t *testing.T, c caller, pause time.Duration, bytes int) (address string, sent *atomic.Int64) {
	t.Helper()
	sent = new(atomic.Int64)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	piece := []byte(strings.Repeat("2", bytes))
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		if c.scheme == "http" {
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
				return
			}
			_, err = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"keys\":\"")
		}
		for err == nil {
			var n int
			n, err = conn.Write(piece)
			sent.Add(int64(n))
			time.Sleep(pause)
		}
	}()
	return c.scheme + "://" + listener.Addr().String(), sent
}

// What a server says without an end is cut off, long before it fills the memory.
func TestAnAnswerWithoutAnEndIsCutOff(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c caller) {
		address, sent := flood(t, c, 0, 64<<10)
		err := c.call(t, t.Context(), address, nil)
		if c.name != "the alert webhook" { // has its 200, and reads no more
			require.Error(t, err)
		}
		onTheWay := int64(16 << 20) // in the buffers of the system
		require.Less(t, sent.Load(), c.most+onTheWay)
	})
}

// What a server says a byte at a time keeps nobody for longer than they wait for any answer.
func TestASlowAnswerIsCutOff(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c caller) {
		if os.Getenv("FULL_SIZE") == "" && c.within > 5*time.Second {
			return // make trips has the time
		}
		address, _ := flood(t, c, 50*time.Millisecond, 1)
		ctx, cancel := context.WithTimeout(t.Context(), 2*c.within)
		defer cancel()
		require.Error(t, c.call(t, ctx, address, nil))
		require.NoError(t, ctx.Err(), "it gave up by itself")
	})
}
