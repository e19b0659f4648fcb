package web

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/web/frame"
)

func TestLimitOfARoute(t *testing.T) {
	t.Parallel()
	few := &frame.Limit{Name: "few", Rate: frame.Rate{Burst: 2, Every: time.Minute}}
	b := newBench(t, storetest.New(t), nil,
		frame.Route{Method: "GET", Path: "/few", Permission: frame.Public, Handle: text("ok"), Limit: few},
		frame.Route{Method: "GET", Path: "/also", Permission: frame.Public, Handle: text("ok"), Limit: few})
	w := b.browser()
	require.Equal(t, http.StatusOK, w.get("/few").StatusCode)
	require.Equal(t, http.StatusOK, w.get("/also").StatusCode)
	refused := w.get("/few")
	require.Equal(t, http.StatusTooManyRequests, refused.StatusCode)
	require.Equal(t, "60", refused.Header.Get("Retry-After"))
	first, second := b.signIn(staff.Cashier), b.signIn(staff.Cashier)
	require.Equal(t, http.StatusOK, first.get("/few").StatusCode, "a user counts apart from their address")
	require.Equal(t, http.StatusOK, second.get("/few").StatusCode)
	require.Equal(t, http.StatusTooManyRequests, first.get("/few").StatusCode, "in all of their sessions together")
	b.pass(time.Minute)
	require.Equal(t, http.StatusOK, w.get("/few").StatusCode)
}

// TestFilesOfTablesAreLimited, whichever pages they are of, and the pages are not.
func TestFilesOfTablesAreLimited(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), nil)
	for role, files := range map[staff.Role][]string{
		staff.Finance: {"/reports/sales.csv", "/statements?file=csv", "/shifts?file=csv"},
		staff.Auditor: {"/admin/audit?file=csv&table=0"},
	} {
		w := b.signIn(role)
		for i := range frame.FileLimit.Rate.Burst {
			path := files[i%len(files)]
			require.Equal(t, http.StatusOK, w.get(path).StatusCode, path)
		}
		for _, path := range files {
			require.Equal(t, http.StatusTooManyRequests, w.get(path).StatusCode, path)
			page, _, _ := strings.Cut(path, "?")
			require.Equal(t, http.StatusOK, w.get(strings.TrimSuffix(page, ".csv")).StatusCode, path)
		}
		require.Equal(t, http.StatusTooManyRequests, w.get("/statements/none.pdf").StatusCode, role)
		b.pass(frame.FileLimit.Rate.Every)
		require.Equal(t, http.StatusOK, w.get(files[0]).StatusCode)
	}
}

func TestAFloodOfStrangersShutsOutNoKnownBrowser(t *testing.T) {
	t.Parallel()
	few := &frame.Limit{Name: "few", Rate: frame.Rate{Burst: 2, Every: time.Minute}}
	b := newBench(t, storetest.New(t), nil, frame.Route{Method: "GET", Path: "/few", Permission: frame.Public, Handle: text("ok"), Limit: few})
	known := b.signIn(staff.Cashier)
	require.Equal(t, http.StatusSeeOther, known.post("/logout", nil).StatusCode)
	stranger := b.browser()
	for range 2 {
		require.Equal(t, http.StatusOK, stranger.get("/few").StatusCode)
	}
	require.Equal(t, http.StatusTooManyRequests, stranger.get("/few").StatusCode)
	require.Equal(t, http.StatusOK, known.get("/few").StatusCode, "a browser that somebody has signed in from")
	require.Equal(t, http.StatusOK, known.get("/few").StatusCode)
	require.Equal(t, http.StatusTooManyRequests, known.get("/few").StatusCode, "its lane has an end too")
	forged := b.browser()
	forged.header.Set("Cookie", "device=made-up")
	require.Equal(t, http.StatusTooManyRequests, forged.get("/few").StatusCode, "what is made up is no lane")
}

// However many strangers come to sign in, the till sees to a few at once and lets some wait. Who comes from a known
// browser waits for none of them.
func TestFewStrangersSignInAtOnce(t *testing.T) {
	t.Parallel()
	entered, goOn := make(chan struct{}, 1000), make(chan struct{})
	b := newBench(t, storetest.New(t), func(d *frame.Deps) { d.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} },
		frame.Route{Method: "POST", Path: "/slow", Permission: frame.Public, Limit: &frame.LoginLimit, Handle: func(c *gin.Context) error {
			entered <- struct{}{}
			<-goOn
			return text("ok")(c)
		}})
	known := b.signIn(staff.Cashier)
	require.Equal(t, http.StatusSeeOther, known.post("/logout", nil).StatusCode)
	answered := make(chan int, 1000)
	const room, more = frame.StrangersInside + frame.StrangersWaiting, 10
	for i := range room + more {
		go func() {
			w := b.browser()
			w.header.Set("X-Forwarded-For", netip.AddrFrom4([4]byte{8, 8, byte(i >> 8), byte(i)}).String())
			answered <- w.post("/slow", nil).StatusCode
		}()
	}
	for range more {
		require.Equal(t, http.StatusServiceUnavailable, <-answered, "nobody waits behind so many")
	}
	for range frame.StrangersInside {
		<-entered
	}
	go func() { answered <- known.post("/slow", nil).StatusCode }()
	<-entered
	require.Empty(t, entered, "few strangers at once")
	close(goOn)
	for range room + 1 {
		require.Equal(t, http.StatusOK, <-answered, "who waited has their turn")
	}
}

func TestASlash64IsOneAddress(t *testing.T) {
	t.Parallel()
	few := &frame.Limit{Name: "few", Rate: frame.Rate{Burst: 2, Every: time.Minute}}
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	b := newBench(t, storetest.New(t), func(d *frame.Deps) { d.TrustedProxies = loopback },
		frame.Route{Method: "GET", Path: "/few", Permission: frame.Public, Handle: text("ok"), Limit: few})
	from := func(address string) int {
		w := b.browser()
		w.header.Set("X-Forwarded-For", address)
		return w.get("/few").StatusCode
	}
	require.Equal(t, http.StatusOK, from("2001:db8:1:2::1"))
	require.Equal(t, http.StatusOK, from("2001:db8:1:2::2"))
	require.Equal(t, http.StatusTooManyRequests, from("2001:db8:1:2:ffff::3"))
	require.Equal(t, http.StatusOK, from("2001:db8:1:3::1"))
}

func TestAddressBehindAProxy(t *testing.T) {
	t.Parallel()
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for name, c := range map[string]struct {
		trusted   []netip.Prefix
		forwarded string
		want      string
	}{
		"trusted":     {loopback, "198.51.100.1, 203.0.113.5", "203.0.113.5"}, // the first is what the client made up
		"not trusted": {nil, "198.51.100.1, 203.0.113.5", "127.0.0.1"},
		"with a port": {loopback, "198.51.100.1, 203.0.113.5:4711", "127.0.0.1"}, // as some write it: not read
		"of no kind":  {loopback, "", "127.0.0.1"},
	} {
		b := newBench(t, storetest.New(t), func(d *frame.Deps) { d.TrustedProxies = c.trusted })
		w := b.browser()
		w.header.Set("X-Forwarded-For", c.forwarded)
		w.header.Set("X-Real-Ip", "198.51.100.1") // a proxy passes on what it does not know
		_ = w.post("/login", loginAs("nobody"))
		require.Contains(t, b.log.String(), "msg=login.refused user=\"\" address="+c.want+" ", name)
	}
}
