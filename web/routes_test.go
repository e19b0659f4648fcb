package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/staff"
	"airtill/internal/store"
	"airtill/web/frame"
)

// stubbed starts a server whose routes all answer "reached": what is tested is
// what lets a request through to them.
func stubbed(t *testing.T) (*bench, []frame.Route) {
	t.Helper()
	b := newBench(t, storetest.New(t), nil)
	routes := b.server.routes()
	for i := range routes {
		routes[i].Handle = text("reached")
	}
	handler, err := b.server.Handle(routes)
	require.NoError(t, err)
	b.http.Config.Handler = handler
	return b, routes
}

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

func TestForeignSitesChangeNothing(t *testing.T) {
	t.Parallel()
	b, routes := stubbed(t)
	for _, r := range routes {
		if r.Method == http.MethodGet {
			continue
		}
		for name, header := range map[string]http.Header{
			"another site":               {"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}},
			"a neighbour":                {"Sec-Fetch-Site": {"same-site"}},
			"another site, old browser":  {"Sec-Fetch-Site": nil, "Origin": {"https://evil.example"}},
			"a sandboxed frame, old":     {"Sec-Fetch-Site": nil, "Origin": {"null"}},
			"a client that says nothing": {"Sec-Fetch-Site": nil},
		} {
			// Anonymous: were it not for the origin, the answer would be the login page.
			got := b.browser().do(r.Method, pathOf(r), nil, header)
			refused := got.StatusCode == http.StatusForbidden || got.StatusCode == http.StatusSeeOther && header.Get("Sec-Fetch-Site") == "" && header.Get("Origin") != "https://evil.example"
			require.Equal(t, !r.CrossSite, refused, "%s from %s: %d", nameOf(r), name, got.StatusCode)
			require.Equal(t, r.CrossSite, got.body == "reached", "%s from %s", nameOf(r), name)
		}
	}
}

func TestStrangersMeetTheLoginPage(t *testing.T) {
	t.Parallel()
	b, routes := stubbed(t)
	for _, r := range routes {
		got := b.browser().do(r.Method, pathOf(r), nil, nil)
		switch {
		case r.Permission == frame.Public:
			require.Equal(t, "reached", got.body, nameOf(r))
		case r.Stream:
			require.Equal(t, http.StatusUnauthorized, got.StatusCode, nameOf(r))
		default:
			require.Equal(t, http.StatusSeeOther, got.StatusCode, nameOf(r))
			target, err := url.Parse(got.Header.Get("Location"))
			require.NoError(t, err)
			require.Equal(t, "/login", target.Path)
			require.Equal(t, r.Method == http.MethodGet && r.Path != "/", target.Query().Get("next") == pathOf(r), nameOf(r))
		}
		script := b.browser().do(r.Method, pathOf(r), nil, http.Header{"Accept": {"text/event-stream"}})
		require.Equal(t, r.Permission == frame.Public, script.StatusCode == http.StatusOK, nameOf(r))
		require.NotEqual(t, http.StatusSeeOther, script.StatusCode, "a script would take the login page for its answer")
	}
}

// TestRoleMatrix asks every route as every role and holds the answers against
// testdata/routes.golden. UPDATE=1 writes the file; read the difference.
func TestRoleMatrix(t *testing.T) {
	t.Parallel()
	b, routes := stubbed(t)
	var lines []string
	browsers := map[staff.Role]*browser{}
	for _, role := range staff.Roles() {
		browsers[role] = b.seat(role)
	}
	for _, r := range routes {
		var may []string
		for _, role := range staff.Roles() {
			switch got := browsers[role].do(r.Method, pathOf(r), nil, nil); got.StatusCode {
			case http.StatusOK:
				may = append(may, string(role))
			case http.StatusForbidden:
			default:
				t.Fatalf("%s as %s: %d", nameOf(r), role, got.StatusCode)
			}
		}
		if r.Permission == frame.Public {
			may = []string{"anyone"}
		}
		lines = append(lines, nameOf(r)+": "+strings.Join(may, " "))
	}
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile("testdata/routes.golden", []byte(got), 0o644))
	}
	want, err := os.ReadFile("testdata/routes.golden")
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// seat gives a browser a session without going through the login page, for
// servers whose login page is a stub.
func (b *bench) seat(role staff.Role) *browser {
	b.t.Helper()
	w, token, u := b.browser(), "token-of-"+string(role), b.users[role]
	data, err := frame.SessionCodec{}.Encode(noon, map[string]any{frame.SessionUser: u.ID, frame.SessionEpoch: "1", frame.SessionTill: ""})
	require.NoError(b.t, err)
	require.NoError(b.t, b.staff.SaveSession(b.t.Context(), token, staff.Session{UserID: u.ID, Epoch: u.Epoch, Data: data}))
	w.cookies["session"] = &http.Cookie{Name: b.server.CookieName("session"), Value: token}
	return w
}

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

// digest is a hash over every row of every table.
func digest(t *testing.T, db *store.DB) string {
	t.Helper()
	query := "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name"
	if db.Dialect() == store.SQLite {
		query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
	}
	var tables []string
	require.NoError(t, db.Read(t.Context()).Raw(query).Scan(&tables).Error)
	require.Greater(t, len(tables), 5)
	hash := sha256.New()
	for _, table := range tables {
		var rows []map[string]any
		require.NoError(t, db.Read(t.Context()).Table(table).Find(&rows).Error)
		var lines []string
		for _, row := range rows {
			lines = append(lines, fmt.Sprint(row)) // maps print in the order of their keys
		}
		slices.Sort(lines)
		fmt.Fprintln(hash, table, lines)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

func TestGETsChangeNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, b *bench) {
		for _, role := range []staff.Role{staff.Manager, staff.Admin} {
			before := digest(t, b.db)
			w := b.signIn(role)
			signedIn := digest(t, b.db)
			require.NotEqual(t, before, signedIn, "a login leaves a row: the digest sees it")
			for _, r := range b.server.routes() {
				if r.Method != http.MethodGet || r.Stream {
					continue
				}
				got := w.get(pathOf(r))
				require.Less(t, got.StatusCode, http.StatusInternalServerError, nameOf(r))
				require.Equal(t, signedIn, digest(t, b.db), nameOf(r))
			}
		}
	})
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
