//go:build e2e && security

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	floodsPlan = "AIRTILL_FLOODS" // the variable that makes TestFloods an attacker

	idleConns    = 5000 // connected, and silent
	idleOpens    = 2500 // a second at most: the till ends each after five seconds
	slowHeaders  = 250  // send a byte now and then
	slowReaders  = 250  // take a byte now and then
	slowEvery    = 200 * time.Millisecond
	slowWindow   = 4096 // bytes that a slow reader lets come
	hookRate     = 3000
	hookSenders  = 24
	guessRate    = 500
	guessesOpen  = 5000 // that wait for an answer at once
	guessWithin  = 15 * time.Second
	streamsAsked = 2000
	streamRate   = 100
)

// floods are the attackers, in a process of their own.
type floods struct {
	plan                            plan
	idle, headers, readers, streams holder
	hooks, guesses                  answers
	waiting, mostWaiting            atomic.Int64
	form                            url.Values
	cookie, script                  string
}

// TestFloods tests nothing: the load test starts it as a process of its own, and ends it by closing its input. It
// says {} once all that stays open does, and in the end what it did.
func TestFloods(t *testing.T) {
	given := os.Getenv(floodsPlan)
	if given == "" {
		t.Skip("is started by TestSellingGoesOnUnderLoadThatIsMeantIll")
	}
	f := &floods{}
	f.hooks.begin()
	f.guesses.begin()
	require.NoError(t, json.Unmarshal([]byte(given), &f.plan))
	f.visit(t)
	f.keep(&f.idle, idleConns, idleOpens, 0, f.silent)
	f.keep(&f.headers, slowHeaders, slowHeaders, 0, f.slowHeader)
	f.keep(&f.readers, slowReaders, slowReaders, slowWindow, f.slowReader)
	f.keep(&f.streams, streamsAsked, streamRate, 0, f.stream)
	f.post(t)
	go f.guessOn()

	kinds := []*holder{&f.idle, &f.headers, &f.readers, &f.streams}
	for f.idle.open.Load() < idleConns*9/10 || f.readers.open.Load() < slowReaders {
		time.Sleep(20 * time.Millisecond)
	}
	for _, h := range kinds {
		h.begin()
	}
	f.hooks.begin()
	f.guesses.begin()
	began := time.Now()
	fmt.Println("{}")
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(over)
	}()
	for done := false; !done; {
		select {
		case <-over:
			done = true
		case <-time.After(50 * time.Millisecond):
		}
		for _, h := range kinds {
			h.sample()
		}
	}
	require.NoError(t, json.NewEncoder(os.Stdout).Encode(fired{
		Seconds: time.Since(began).Seconds(),
		Idle:    f.idle.held(), Headers: f.headers.held(), Readers: f.readers.held(), Streams: f.streams.held(),
		Hooks: f.hooks.begin(), Guesses: f.guesses.begin(), Waiting: f.mostWaiting.Load(),
	}))
	os.Exit(0) // with everything that is open
}

var (
	scriptPath = regexp.MustCompile(`src="(/static/app[^"]*\.js)"`)
	csrfToken  = regexp.MustCompile(`name="csrf" value="([^"]+)"`)
)

// visit reads the page of the sign-in, as everybody may: its form's token serves for any number of guesses.
func (f *floods) visit(t *testing.T) {
	t.Helper()
	response, err := http.Get("http://" + f.plan.Address + "/login")
	require.NoError(t, err)
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	for _, c := range response.Cookies() {
		f.cookie += c.Name + "=" + c.Value + "; "
	}
	token, script := csrfToken.FindSubmatch(page), scriptPath.FindSubmatch(page)
	require.NotNil(t, token, "%s", page)
	require.NotNil(t, script, "%s", page)
	f.form, f.script = url.Values{"csrf": {string(token[1])}}, string(script[1])
}

// pace gives out turns, so many a second; those that nobody takes are lost.
func pace(perSecond int) <-chan struct{} {
	const perTick = 10 * time.Millisecond
	turns := make(chan struct{}, max(1, perSecond/10))
	go func() {
		owed := 0.0
		for range time.Tick(perTick) {
			for owed += float64(perSecond) * perTick.Seconds(); owed >= 1; owed-- {
				select {
				case turns <- struct{}{}:
				default:
				}
			}
		}
	}()
	return turns
}

// dial connects from some address of this machine: 127.0.0.0/8 are sixteen million. window is how many bytes may be on
// their way here; 0: as many as the system lets.
func (f *floods) dial(window int) (net.Conn, error) {
	from := net.IPv4(127, byte(1+rand.IntN(250)), byte(rand.IntN(256)), byte(1+rand.IntN(250)))
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: from}, Timeout: guessWithin}
	if window > 0 {
		dialer.Control = func(_, _ string, raw syscall.RawConn) (err error) {
			_ = raw.Control(func(fd uintptr) {
				err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, window)
			})
			return err
		}
	}
	return dialer.Dial("tcp", f.plan.Address)
}

// keep holds connections open, and opens each again when the till has ended it. use calls its second
// argument once it was let in.
func (f *floods) keep(h *holder, count, perSecond, window int, use func(net.Conn, func())) {
	turns := pace(perSecond)
	for range count {
		go func() {
			for range turns {
				conn, err := f.dial(window)
				if err != nil {
					h.refused.Add(1)
					continue
				}
				let := false
				use(conn, func() {
					let = true
					h.opened.Add(1)
					h.open.Add(1)
				})
				_ = conn.Close()
				if !let {
					h.refused.Add(1)
					continue
				}
				h.open.Add(-1)
				h.ended.Add(1)
			}
		}()
	}
}

// silent connects and says nothing.
func (f *floods) silent(conn net.Conn, let func()) {
	let()
	_, _ = conn.Read(make([]byte, 1)) // until the till has had enough
}

// slowHeader sends a byte now and then.
func (f *floods) slowHeader(conn net.Conn, let func()) {
	let()
	_, err := io.WriteString(conn, "GET /login HTTP/1.1\r\nHost: "+f.plan.Address+"\r\nX-Slow: ")
	for err == nil {
		time.Sleep(slowEvery)
		_, err = conn.Write([]byte("x"))
	}
}

// slowReader asks for a file many times over and takes a byte of it now and then.
func (f *floods) slowReader(conn net.Conn, let func()) {
	ask := "GET " + f.script + " HTTP/1.1\r\nHost: " + f.plan.Address + "\r\n\r\n"
	if _, err := io.WriteString(conn, strings.Repeat(ask, 40)); err != nil {
		return
	}
	one := make([]byte, 1)
	_, err := conn.Read(one)
	if err == nil {
		let()
	}
	for err == nil {
		time.Sleep(slowEvery)
		_, err = conn.Read(one)
	}
}

// stream opens the tray's events in one of the sessions, which its person may do so often and no more.
func (f *floods) stream(conn net.Conn, let func()) {
	cookie := f.plan.Sessions[rand.IntN(len(f.plan.Sessions))]
	_, err := fmt.Fprintf(conn, "GET /tray/events HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n\r\n", f.plan.Address, cookie)
	if err != nil {
		return
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return
	}
	let()
	_, _ = io.Copy(io.Discard, response.Body)
}
