package web

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
)

// pathOf fills the parameters of a route's pattern.
func pathOf(r frame.Route) string {
	var parts []string
	for part := range strings.SplitSeq(r.Path, "/") {
		if strings.HasPrefix(part, ":") || strings.HasPrefix(part, "*") {
			part = "none"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "/")
}

func nameOf(r frame.Route) string { return r.Method + " " + r.Path }

// seat gives a browser a session at no till.
func (b *bench) seat(role staff.Role) *browser { return b.comes(role, place{}) }

func TestChangedRoleActsOnTheNextRequest(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		w := b.signIn(staff.Finance)
		require.Equal(t, http.StatusOK, w.get("/money").StatusCode)
		// As if changed by another process, without ending the session.
		require.NoError(t, b.db.Tx(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("UPDATE users SET role = 'auditor' WHERE username = 'finance'").Error
		}))
		require.Equal(t, http.StatusForbidden, w.get("/money").StatusCode)
	}, frame.Route{Method: "GET", Path: "/money", Permission: staff.Reconcile, Handle: text("money")})
}

func TestEveryAnswerTellsTheBrowserWhatItMayDo(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.New(t), func(d *frame.Deps) { d.PublicURL = "https://till.example" },
		frame.Route{Method: "GET", Path: "/panic", Permission: frame.Public, Handle: panics})
	w := b.seat(staff.Admin)
	asked := map[string]string{"GET /nowhere": "", "DELETE /login": "", "GET /panic": "", "POST /till": ""}
	for _, r := range b.server.routes() {
		asked[r.Method+" "+pathOf(r)] = ""
	}
	asset, _ := b.browser().get("/login").page(t).Find("link[rel=stylesheet]").Attr("href")
	asked["GET "+asset] = "public, max-age=31536000, immutable"
	asked["GET /logos/none"] = "private, max-age=3600" // a picture of nobody's
	nonces := map[string]bool{}
	for _, request := range slices.Sorted(maps.Keys(asked)) { // in order: what signs out comes after what must be signed in
		method, path, _ := strings.Cut(request, " ")
		cache := asked[request]
		got := w.do(method, path, nil, nil)
		csp := got.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'", "script-src 'self' 'nonce-", "style-src 'self' 'nonce-"} {
			require.Contains(t, csp, part, request)
		}
		require.NotContains(t, csp, "unsafe", request)
		require.False(t, nonces[csp], "a nonce is used once")
		nonces[csp] = true
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin", "X-Frame-Options": "DENY", "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
		} {
			require.Equal(t, want, got.Header.Get(name), "%s: %s", request, name)
		}
		require.NotEmpty(t, got.Header.Get("Permissions-Policy"), request)
		if cache == "" {
			cache = "no-store"
		}
		require.Equal(t, cache, got.Header.Get("Cache-Control"), request)
		require.Empty(t, got.Header.Get("Server"), request)
	}
	plain := newBench(t, storetest.New(t), nil)
	require.Empty(t, plain.browser().get("/login").Header.Get("Strict-Transport-Security"))
}
