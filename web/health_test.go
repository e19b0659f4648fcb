package web

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/storetest"
)

func TestReadyOnlyWhenEverythingIs(t *testing.T) {
	t.Parallel()
	missing := errors.New("canary: no prices yet")
	b := newBench(t, storetest.New(t), func(d *Deps) { d.Ready = func(context.Context) error { return missing } })
	got := b.browser().do("GET", "/readyz", nil, http.Header{"Accept": {"*/*"}})
	require.Equal(t, http.StatusServiceUnavailable, got.StatusCode)
	require.Contains(t, got.body, "not ready: till")
	require.NotContains(t, got.body, "canary")
	missing = nil
	require.Equal(t, "ready\n", b.browser().get("/readyz").body)
	require.Equal(t, "ok\n", b.browser().get("/healthz").body)
}

func TestMetricsAreNotForEveryone(t *testing.T) {
	t.Parallel()
	open, locked := newBench(t, storetest.New(t), nil), newBench(t, storetest.New(t), func(d *Deps) { d.MetricsToken = "a-token-of-the-operator" })
	bearer := func(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }
	for name, c := range map[string]struct {
		b      *bench
		header http.Header
		want   int
	}{
		"this machine":                    {open, nil, http.StatusOK},
		"through a proxy on this machine": {open, http.Header{"X-Forwarded-For": {"203.0.113.5"}}, http.StatusNotFound},
		"another kind of proxy":           {open, http.Header{"Forwarded": {"for=203.0.113.5"}}, http.StatusNotFound},
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
