package web

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/redistest"
	"airtill/internal/harness/storetest"
	"airtill/internal/sales"
	"airtill/internal/signal"
	"airtill/internal/staff"
	"airtill/web/frame"
)

// ends waits until a stream is over.
func ends(t *testing.T, lines interface{ Scan() bool }, why string) {
	t.Helper()
	over := make(chan struct{})
	go func() {
		defer close(over)
		for lines.Scan() {
			continue
		}
	}()
	select {
	case <-over:
	case <-time.After(15 * time.Second):
		t.Fatal("the stream goes on: " + why)
	}
}

func TestAStreamEndsWithItsSession(t *testing.T) {
	t.Parallel()
	for why, end := range map[string]func(*bench, *browser) error{
		"disabled": func(b *bench, _ *browser) error {
			return b.staff.Disable(b.t.Context(), setup, b.users[staff.Cashier].ID, "left")
		},
		"signed out": func(b *bench, w *browser) error {
			w.post("/logout", map[string][]string{"csrf": {w.csrf("/customers")}})
			return nil
		},
		"idle": func(b *bench, _ *browser) error {
			b.pass(staff.SessionIdle)
			return nil
		},
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			b := newMarket(t, storetest.NewAt(t, stock.Copy))
			w := b.signIn(staff.Cashier)
			path, _ := w.sold(irish)
			b.moveSale(path, "fulfilment = 'unknown', final_at = NULL, next_check_at = '2030-01-01 00:00:00'")
			tray, sale := w.events(t.Context(), "/tray/events"), w.events(t.Context(), path+"/events")
			says(t, tray, `id="tray"`)
			says(t, sale, `id="outcome"`)
			require.NoError(t, end(b, w))
			// A hint asks at once; without one the next beat does.
			b.server.D.Bus.Publish(t.Context(), sales.Topic(b.saleAt(path).ID))
			ends(t, sale, "of a sale")
			ends(t, tray, "of the tray")
		})
	}
}

// mayLose is a bus that may lose hints.
type mayLose struct{ signal.Bus }

func (mayLose) Sure() bool { return false }

func TestWhileHintsMayBeLostTheTrayLooksAtEveryBeat(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	b.server.D.Bus = mayLose{b.server.D.Bus}
	w := b.signIn(staff.Cashier)
	path, _ := w.sold(irish)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // without hints it would be 30
	defer cancel()
	tray := w.events(ctx, "/tray/events")
	says(t, tray, `id="tray"`)
	b.moveSale(path, "fulfilment = 'unknown', final_at = NULL, next_check_at = '2030-01-01 00:00:00'")
	says(t, tray, "Not known yet")
}

func TestASessionHasFourStreamsAtMost(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	w, other := b.signIn(staff.Cashier), b.signIn(staff.Supervisor)
	apart := other.events(t.Context(), "/tray/events")
	says(t, apart, `id="tray"`)
	oldest := w.events(t.Context(), "/tray/events")
	says(t, oldest, `id="tray"`)
	for range 40 {
		says(t, w.events(t.Context(), "/tray/events"), `id="tray"`) // what is true now comes first, whoever else looks
	}
	ends(t, oldest, "four newer ones took its place")
	require.LessOrEqual(t, b.server.Streams.Open(), 5, "four, and the other session's")

	ctx, leave := context.WithCancel(t.Context())
	last := w.events(ctx, "/tray/events")
	says(t, last, `id="tray"`)
	leave()
	require.Equal(t, http.StatusSeeOther, other.post("/logout", map[string][]string{"csrf": {other.csrf("/customers")}}).StatusCode)
	ends(t, apart, "its session is over")
	waitFor(t, "streams that ended are forgotten", func() bool { return b.server.Streams.Open() <= 3 })
}

// twoProcesses is a market whose server counts streams with a second one, by Redis.
func twoProcesses(t *testing.T) (b *bench, second *Pages, elsewhere *bench) {
	t.Helper()
	one, two := frame.NewRedisStreams(redistest.New(t)), frame.NewRedisStreams(redistest.New(t))
	b = newMarket(t, storetest.NewAt(t, stock.Copy))
	b.server.D.Streams = one
	d := b.server.D
	d.Streams, d.Metrics = two, prometheus.NewRegistry()
	second, err := newPages(d)
	require.NoError(t, err)
	handler, err := second.Handle(second.routes())
	require.NoError(t, err)
	other := httptest.NewServer(handler)
	t.Cleanup(other.Close)
	return b, second, &bench{t: t, http: other}
}

// One cookie has no more streams for going through many processes.
func TestASessionHasFourStreamsInAllProcesses(t *testing.T) {
	t.Parallel()
	b, second, other := twoProcesses(t)
	w := b.signIn(staff.Cashier)
	elsewhere := &browser{b: other, cookies: w.cookies, header: w.header}
	for range 40 {
		says(t, w.events(t.Context(), "/tray/events"), `id="tray"`)
		says(t, elsewhere.events(t.Context(), "/tray/events"), `id="tray"`)
	}
	newest := elsewhere.events(t.Context(), "/tray/events")
	says(t, newest, `id="tray"`)
	require.LessOrEqual(t, b.server.Streams.Open()+second.Streams.Open(), 2*frame.MostStreams, "at once")
	waitFor(t, "the older ones end at their next beat", func() bool {
		return b.server.Streams.Open()+second.Streams.Open() == frame.MostStreams
	})
	require.Positive(t, second.Streams.Open(), "the newest is here")
}

// Nor has one person for signing in many times.
func TestAPersonHasSixteenStreamsAtMost(t *testing.T) {
	t.Parallel()
	b := newMarket(t, storetest.NewAt(t, stock.Copy))
	apart := b.signIn(staff.Supervisor).events(t.Context(), "/tray/events")
	says(t, apart, `id="tray"`)
	oldest := b.signIn(staff.Cashier).events(t.Context(), "/tray/events")
	says(t, oldest, `id="tray"`)
	for range 6 {
		w := b.signIn(staff.Cashier)
		for range frame.MostStreams {
			says(t, w.events(t.Context(), "/tray/events"), `id="tray"`)
		}
	}
	ends(t, oldest, "sixteen newer ones took its place")
	require.Equal(t, frame.MostOfPerson+1, b.server.Streams.Open(), "sixteen, and the other person's")
}

func TestAPersonHasSixteenStreamsInAllProcesses(t *testing.T) {
	t.Parallel()
	b, second, other := twoProcesses(t)
	open := func() int { return b.server.Streams.Open() + second.Streams.Open() }
	for range 6 {
		w := b.signIn(staff.Cashier)
		elsewhere := &browser{b: other, cookies: w.cookies, header: w.header}
		for range frame.MostStreams / 2 {
			says(t, w.events(t.Context(), "/tray/events"), `id="tray"`)
			says(t, elsewhere.events(t.Context(), "/tray/events"), `id="tray"`)
		}
	}
	require.Greater(t, open(), frame.MostOfPerson, "each process counts twelve, until a beat")
	waitFor(t, "the older ones end at their next beat", func() bool { return open() == frame.MostOfPerson })
}

// A stream that newer ones end before it has shown anything is no failure of the till.
func TestAStreamThatIsEndedAtOnceIsNoFailure(t *testing.T) {
	t.Parallel()
	var b *bench
	var streams atomic.Int64
	begun, ended := make(chan struct{}), make(chan struct{})
	b = newBench(t, storetest.New(t), nil, frame.Route{Method: "GET", Path: "/slow", Permission: frame.SignedIn, Stream: true, Handle: func(c *gin.Context) error {
		return b.server.Stream(c, time.Hour, nil, func(ctx context.Context) (templ.Component, bool, error) {
			if streams.Add(1) > 1 {
				<-ended
				return nil, true, nil
			}
			close(begun)
			<-ctx.Done()
			close(ended)
			return templ.ComponentFunc(func(ctx context.Context, _ io.Writer) error { return ctx.Err() }), false, nil
		})
	}})
	w := b.signIn(staff.Cashier)
	status := make(chan int)
	ask := func() { status <- w.get("/slow").StatusCode }
	go ask()
	<-begun
	for range frame.MostStreams {
		go ask()
	}
	for range 1 + frame.MostStreams {
		require.Equal(t, http.StatusOK, <-status)
	}
	require.NotContains(t, b.log.String(), "http.failed")
}
