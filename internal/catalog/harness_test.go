package catalog_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/catalog"
	"airtill/internal/harness/redistest"
	"airtill/internal/sandbox"
	"airtill/internal/store"
)

const listHead = "SkuCode,Operator,Receive,Product type,Country,Validity\n"

// upstream is a sandbox behind a door that tests may shut or tamper with.
type upstream struct {
	url     string
	sandbox atomic.Pointer[http.Handler]
	door    atomic.Pointer[http.HandlerFunc] // nil: open
	tamper  atomic.Pointer[func(path string, body []byte) []byte]

	mu    sync.Mutex
	calls map[string]int
}

func newUpstream(t testing.TB, d sandbox.Deps) *upstream {
	t.Helper()
	u := &upstream{calls: map[string]int{}}
	u.stock(t, d)
	server := httptest.NewServer(u)
	t.Cleanup(server.Close)
	u.url = server.URL
	return u
}

// newListed is an upstream that sells the rows of a product list.
func newListed(t testing.TB, rows ...string) *upstream {
	t.Helper()
	return newUpstream(t, sandbox.Deps{Catalog: listFile(t, rows)})
}

func listFile(t testing.TB, rows []string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "list.csv")
	require.NoError(t, os.WriteFile(path, []byte(listHead+strings.Join(rows, "\n")+"\n"), 0o600))
	return path
}

// stock replaces the sandbox, and so everything that is for sale.
func (u *upstream) stock(t testing.TB, d sandbox.Deps) {
	t.Helper()
	d.Data, d.Seed, d.Now = sandbox.Memory, 7, time.Now
	s, err := sandbox.New(d)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	handler := s.Handler()
	u.sandbox.Store(&handler)
}

func (u *upstream) restock(t testing.TB, rows ...string) {
	t.Helper()
	u.stock(t, sandbox.Deps{Catalog: listFile(t, rows)})
}

// shut answers every call with a gateway's error page.
func (u *upstream) shut() {
	u.stand(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "<html>no</html>")
	})
}

func (u *upstream) stand(door http.HandlerFunc) { u.door.Store(&door) }

func (u *upstream) open() { u.door.Store(nil) }

func (u *upstream) alter(f func(path string, body []byte) []byte) { u.tamper.Store(&f) }

func (u *upstream) count(method string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.calls[method]
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	u.mu.Lock()
	u.calls[method]++
	u.mu.Unlock()
	if door := u.door.Load(); door != nil {
		(*door)(w, r)
		return
	}
	tamper := u.tamper.Load()
	if tamper == nil {
		(*u.sandbox.Load()).ServeHTTP(w, r)
		return
	}
	recorded := httptest.NewRecorder()
	r.Header.Del("Accept-Encoding")
	(*u.sandbox.Load()).ServeHTTP(recorded, r)
	w.Header().Set("Content-Type", recorded.Header().Get("Content-Type"))
	w.WriteHeader(recorded.Code)
	_, _ = w.Write((*tamper)(method, recorded.Body.Bytes()))
}

// clock is a time that tests move.
type clock struct{ offset atomic.Int64 }

func (c *clock) now() time.Time          { return time.Now().Add(time.Duration(c.offset.Load())) }
func (c *clock) advance(d time.Duration) { c.offset.Add(int64(d)) }

// bench is a catalogue with all that it stands on.
type bench struct {
	*catalog.Service
	db       *store.DB
	upstream *upstream
	clock    *clock
	log      *lockedBuffer
	registry *prometheus.Registry
}

// languages are those of a bench's product texts.
var languages = []string{"en", "es", "fr", "ar"}

type option func(*catalog.Deps)

func withCache(c catalog.Cache) option { return func(d *catalog.Deps) { d.Cache = c } }

func newBench(t testing.TB, db *store.DB, u *upstream, options ...option) *bench {
	t.Helper()
	b := &bench{db: db, upstream: u, clock: &clock{}, log: &lockedBuffer{}, registry: prometheus.NewRegistry()}
	client, err := apiclient.New(apiclient.Deps{BaseURL: u.url, APIKey: "sandbox-key", Now: b.clock.now})
	require.NoError(t, err)
	t.Cleanup(client.Close)
	deps := catalog.Deps{
		DB: db, Upstream: client, NumberKey: bytes.Repeat([]byte("k"), 32), Metrics: b.registry, Now: b.clock.now,
		Log: slog.New(slog.NewJSONHandler(b.log, nil)), Languages: languages,
	}
	for _, o := range options {
		o(&deps)
	}
	b.Service, err = catalog.New(deps)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}

func (b *bench) syncAll(t testing.TB) {
	t.Helper()
	require.NoError(t, b.Sync(t.Context(), false, catalog.Resources()...))
}

// lastRun returns the latest run of a resource.
func (b *bench) lastRun(t testing.TB, r catalog.Resource) catalog.Run {
	t.Helper()
	runs, err := b.Runs(t.Context(), 1000)
	require.NoError(t, err)
	for _, run := range runs {
		if run.Resource == r {
			return run
		}
	}
	t.Fatalf("no run of %s", r)
	return catalog.Run{}
}

// count returns the value of a gauge or counter of whole numbers, by its labels'
// values in the order of the labels' names.
func (b *bench) count(t testing.TB, name string, labels ...string) int {
	t.Helper()
	families, err := b.registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			var values []string
			for _, label := range m.GetLabel() {
				values = append(values, label.GetValue())
			}
			if family.GetName() == name && slices.Equal(values, labels) {
				return int(m.GetGauge().GetValue() + m.GetCounter().GetValue())
			}
		}
	}
	return 0
}

func (b *bench) number(t testing.TB, text string) catalog.Number {
	t.Helper()
	n, err := catalog.ParseNumber(text, "IE")
	require.NoError(t, err)
	return n
}

// lockedBuffer is a log that can be read while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// redisClient connects to the test Redis under a prefix of the test's own.
func redisClient(t testing.TB) (*redis.Client, string) {
	t.Helper()
	client, prefix := redistest.New(t), t.Name()+":"
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		keys, err := client.Keys(ctx, prefix+"*").Result()
		require.NoError(t, err)
		if len(keys) > 0 {
			require.NoError(t, client.Del(ctx, keys...).Err())
		}
	})
	return client, prefix
}
