package web

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/health"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
)

func TestReadyOnlyWhenEverythingIs(t *testing.T) {
	t.Parallel()
	missing := errors.New("canary: no prices yet")
	b := newBench(t, storetest.New(t), func(d *frame.Deps) {
		d.Health = d.Health.With(func(h *health.Deps) { h.Sells = func(context.Context) error { return missing } })
	})
	got := b.browser().do("GET", "/readyz", nil, http.Header{"Accept": {"*/*"}})
	require.Equal(t, http.StatusServiceUnavailable, got.StatusCode)
	require.Contains(t, got.body, "not ready: till")
	require.NotContains(t, got.body, "canary")
	asked := func(path string) int { return b.browser().do("HEAD", path, nil, nil).StatusCode } // as who watches from outside does
	require.Equal(t, []int{http.StatusOK, http.StatusServiceUnavailable}, []int{asked("/healthz"), asked("/readyz")})
	missing = nil
	require.Equal(t, http.StatusOK, asked("/readyz"))
	require.Equal(t, "ready\n", b.browser().get("/readyz").body)
	require.Equal(t, "ok\n", b.browser().get("/healthz").body)
}

// Whoever looks after the till is told what it still sells without, and what it
// cannot sell without.
func TestReadyTellsOfRedisAndOfADatabaseThatTakesNothing(t *testing.T) {
	t.Parallel()
	var redis, writes error
	b := newBench(t, storetest.New(t), func(d *frame.Deps) {
		d.Health = d.Health.With(func(h *health.Deps) {
			h.Redis = func(context.Context) error { return redis }
			h.Writes = func(context.Context) error { return writes }
		})
	})
	require.Equal(t, "ready\n", b.browser().get("/readyz").body)
	redis = errors.New("canary")
	got := b.browser().get("/readyz")
	require.Equal(t, http.StatusOK, got.StatusCode, "selling goes on")
	require.Equal(t, "ready, but Redis does not answer\n", got.body)
	redis = fmt.Errorf("%w: canary", health.ErrRefused)
	require.Equal(t, "ready, but Redis refuses what the till asks of it\n", b.browser().get("/readyz").body)
	require.Contains(t, b.signIn(staff.Admin).get("/admin/health").page(t).Text(), "refuses what the till asks")
	writes = errors.New("canary")
	got = b.browser().do("GET", "/readyz", nil, http.Header{"Accept": {"*/*"}})
	require.Equal(t, http.StatusServiceUnavailable, got.StatusCode)
	require.Contains(t, got.body, "database takes no writes")
	require.NotContains(t, got.body, "canary")
	require.Contains(t, b.signIn(staff.Admin).get("/admin/health").page(t).Text(), "but not written")
}

// Another program that holds the file's lock keeps no cashier waiting.
func TestALockedDatabaseIsToldOfWithinFiveSeconds(t *testing.T) {
	t.Parallel()
	address := storetest.URL(t, store.SQLite)
	b := newMarket(t, storetest.Open(t, address))
	cashier := b.signIn(staff.Cashier)
	other, err := sql.Open("sqlite", strings.TrimPrefix(address, "sqlite:"))
	require.NoError(t, err)
	defer other.Close()
	holder, err := other.Conn(t.Context())
	require.NoError(t, err)
	_, err = holder.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)

	var all sync.WaitGroup
	took, status := make([]time.Duration, 8), make([]int, 8)
	for i := range took {
		all.Go(func() {
			began := time.Now()
			got := b.browser().post("/login", loginAs("cashier"))
			took[i] = time.Since(began)
			status[i] = got.StatusCode
		})
	}
	began := time.Now()
	_ = cashier.get("/counter")
	require.Less(t, time.Since(began), 5*time.Second, "the counter")
	all.Wait()
	require.Equal(t, slices.Repeat([]int{http.StatusServiceUnavailable}, len(status)), status)
	require.Less(t, slices.Max(took), 5*time.Second, "%s", took)

	_, err = holder.ExecContext(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	require.NoError(t, holder.Close())
	require.Equal(t, http.StatusSeeOther, b.browser().post("/login", loginAs("cashier")).StatusCode, "and it goes on")
}

func TestMetricsAreNotForEveryone(t *testing.T) {
	t.Parallel()
	open, locked := newBench(t, storetest.New(t), nil), newBench(t, storetest.New(t), func(d *frame.Deps) { d.MetricsToken = "a-token-of-the-operator" })
	bearer := func(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }
	for name, c := range map[string]struct {
		b      *bench
		header http.Header
		want   int
	}{
		"this machine":                    {open, nil, http.StatusOK},
		"through a proxy on this machine": {open, http.Header{"X-Forwarded-For": {"203.0.113.5"}}, http.StatusNotFound},
		"another kind of proxy":           {open, http.Header{"Forwarded": {"for=203.0.113.5"}}, http.StatusNotFound},
		"a third kind":                    {open, http.Header{"X-Real-Ip": {"203.0.113.5"}}, http.StatusNotFound},
		"a fourth":                        {open, http.Header{"Via": {"1.1 proxy"}}, http.StatusNotFound},
		"token":                           {locked, bearer("a-token-of-the-operator"), http.StatusOK},
		"this machine without the token":  {locked, nil, http.StatusNotFound},
		"wrong token":                     {locked, bearer("a-token"), http.StatusNotFound},
		"no token at all":                 {locked, bearer(""), http.StatusNotFound},
		"another scheme":                  {locked, http.Header{"Authorization": {"a-token-of-the-operator"}}, http.StatusNotFound},
	} {
		got := c.b.browser().do("GET", "/metrics", nil, c.header)
		require.Equal(t, c.want, got.StatusCode, name)
	}
	_ = open.browser().get("/353871234567")
	got := open.browser().get("/metrics").body
	require.Contains(t, got, `web_requests_total{method="GET",route="/metrics",status="200"} 1`)
	require.Contains(t, got, `route="none",status="404"`)
	require.NotContains(t, got, "353871234567")
}
