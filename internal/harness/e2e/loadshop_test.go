//go:build e2e && security

package e2e

import (
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// loadShop is a shop with a till for everybody who sells or watches in it.
type loadShop struct {
	*world
	p       *web
	sellers []*person
	known   *person // somebody whose browser the till knows
	sold    int
}

func newLoadShop(t *testing.T, w *world) *loadShop {
	t.Helper()
	shop := "Busy Shop"
	command(t, w.env, "", "web", "shop", "add", "--name", shop,
		"--zone", "Europe/Dublin", "--country", "IE", "--currency", "EUR", "--tills", "8")
	hire := func(name string) {
		command(t, w.env, w.password+"\n", "web", "user", "add", "--username", name, "--role", "cashier", "--shop", shop)
	}
	for i := range loadSellers {
		hire("seller" + strconv.Itoa(i))
	}
	for i := range streamers {
		hire("streamer" + strconv.Itoa(i))
	}
	l := &loadShop{world: w, p: w.serve(t, "LOG_LEVEL=error").ready(t)}
	for i := range loadSellers {
		someone := newPerson(t, l.p.url)
		someone.signIn("seller"+strconv.Itoa(i), w.password).fill("float", "100").press("Open shift")
		l.sellers = append(l.sellers, someone)
	}
	l.known = newPerson(t, l.p.url)
	l.known.signIn("manager", w.password)
	return l
}

// sessions signs each streamer in a few times, and returns the cookies.
func (l *loadShop) sessions(t *testing.T) (cookies []string) {
	t.Helper()
	for i := range streamers {
		for range sessionsOf {
			someone := newPerson(t, l.p.url)
			someone.signIn("streamer"+strconv.Itoa(i), l.password)
			cookies = append(cookies, someone.cookies(t))
		}
	}
	return cookies
}

func (p *person) cookies(t *testing.T) string {
	t.Helper()
	base, err := url.Parse(p.base)
	require.NoError(t, err)
	var all []string
	for _, c := range p.client.Jar.Cookies(base) {
		all = append(all, c.Name+"="+c.Value)
	}
	return strings.Join(all, "; ")
}

// sell sells for a while and returns how long each sale took, from the number to the outcome.
func (l *loadShop) sell(d time.Duration) (took []time.Duration) {
	turn := time.NewTicker(loadPace)
	defer turn.Stop()
	for until := time.Now().Add(d); time.Now().Before(until); <-turn.C {
		l.sold++
		seller := l.sellers[l.sold%len(l.sellers)]
		began := time.Now()
		seller.toConfirm(fmt.Sprintf("087%07d", 4_000_000+l.sold)).press(cashReceived).becomes("complete", settles)
		took = append(took, time.Since(began))
	}
	return took
}

// signInAgain signs the manager out and in, and returns how long it took.
func (l *loadShop) signInAgain() time.Duration {
	l.known.get("/account").press("Sign out")
	began := time.Now()
	l.known.signIn("manager", l.password)
	return time.Since(began)
}

// holds fails unless the till is ready, and everything was sold once and booked.
func (l *loadShop) holds(t *testing.T) {
	t.Helper()
	l.p.ready(t)
	require.Zero(t, scrape(t, l.p.url)["web_panics_total"])
	entries := l.simulator.ledger(t)
	require.Len(t, entries, l.sold)
	for _, e := range entries {
		require.Equal(t, 1, e.TimesExecuted)
	}
	l.p.stop(t)
	l.verify(t)
}

// peak is the most memory that a process ever occupied, in bytes.
func (p *process) peak(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	require.NoError(t, err)
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); fields[0] == "VmHWM:" {
			kilobytes, err := strconv.Atoi(fields[1])
			require.NoError(t, err)
			return kilobytes << 10
		}
	}
	t.Fatal("no VmHWM")
	return 0
}
