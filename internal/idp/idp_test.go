package idp_test

import (
	"crypto/x509"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
	"airtill/internal/idp"
	"airtill/internal/idp/idptest"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return noon }

func client(t *testing.T, issuer string) *idp.Provider {
	t.Helper()
	p, err := idp.New(idp.Deps{
		Issuer: issuer, ClientID: idptest.ClientID, ClientSecret: idptest.Secret, Redirect: "https://till.example.com/login/sso",
		Scopes: []string{"profile"}, GroupClaim: "groups", ShopClaim: "shop", Second: []string{"mfa", "gold"}, Now: clock,
	})
	require.NoError(t, err)
	return p
}

func TestAPersonIsWhoTheProviderSays(t *testing.T) {
	t.Parallel()
	server := idptest.New(t, clock)
	p := client(t, server.URL)
	for _, c := range []struct {
		claims map[string]any
		want   idp.Person
	}{
		{nil, idp.Person{Subject: "1", Username: "1"}},
		{
			map[string]any{"email": "nora@example.com", "preferred_username": "nora", "name": "Nora", "groups": []string{"a", "b"}, "shop": "Quay", "amr": []string{"pwd", "mfa"}},
			idp.Person{Subject: "1", Username: "nora", Name: "Nora", Email: "nora@example.com", Groups: []string{"a", "b"}, Shop: "Quay", Second: true},
		},
		{map[string]any{"email": "n@example.com", "groups": "a", "acr": "gold"}, idp.Person{Subject: "1", Username: "n@example.com", Email: "n@example.com", Groups: []string{"a"}, Second: true}},
		{map[string]any{"amr": []string{"pwd"}, "acr": ""}, idp.Person{Subject: "1", Username: "1"}},
		{map[string]any{"auth_time": noon.Unix()}, idp.Person{Subject: "1", Username: "1"}},
		{map[string]any{"auth_time": strconv.FormatInt(noon.Unix(), 10)}, idp.Person{Subject: "1", Username: "1"}},
		{map[string]any{"auth_time": float64(noon.Unix()) + 0.5}, idp.Person{Subject: "1", Username: "1"}},
	} {
		server.Claims = c.claims
		address, asked, err := p.Begin(t.Context())
		require.NoError(t, err)
		u, err := url.Parse(address)
		require.NoError(t, err)
		require.Equal(t, "code", u.Query().Get("response_type"))
		require.Equal(t, "openid profile", u.Query().Get("scope"))
		require.Equal(t, "login", u.Query().Get("prompt"), "who had this browser before is not signed in by a press")
		require.NotContains(t, address, asked.Verifier)
		state, code := server.Visit(address)
		person, err := p.Finish(t.Context(), asked, state, code)
		require.NoError(t, err)
		c.want.Issuer = server.URL
		require.Equal(t, c.want, person)
		_, err = p.Finish(t.Context(), asked, state, code)
		require.ErrorIs(t, err, idp.ErrRefused, "a code counts once")
	}
}

// Each token but the right one is refused.
func TestTokensThatProveNothing(t *testing.T) {
	t.Parallel()
	server := idptest.New(t, clock)
	p := client(t, server.URL)
	finish := func(change func(*idp.Asked)) error {
		address, asked, err := p.Begin(t.Context())
		require.NoError(t, err)
		state, code := server.Visit(address)
		if change != nil {
			change(&asked)
		}
		_, err = p.Finish(t.Context(), asked, state, code)
		return err
	}
	require.NoError(t, finish(nil))
	for name, change := range map[string]func(*idp.Asked){
		"another state":    func(a *idp.Asked) { a.State = "x" },
		"no state":         func(a *idp.Asked) { a.State = "" },
		"another nonce":    func(a *idp.Asked) { a.Nonce = "x" },
		"another verifier": func(a *idp.Asked) { a.Verifier += "x" },
	} {
		require.ErrorIs(t, finish(change), idp.ErrRefused, name)
	}
	_, err := p.Finish(t.Context(), idp.Asked{}, "", "code")
	require.ErrorIs(t, err, idp.ErrRefused, "nobody was sent there")
	for name, claims := range map[string]map[string]any{
		"another audience":          {"aud": "other"},
		"an audience of two":        {"aud": []string{"other", idptest.ClientID}},
		"for another party":         {"azp": "other"},
		"another issuer":            {"iss": "https://evil.example.com"},
		"no nonce":                  {"nonce": nil},
		"expired":                   {"exp": noon.Add(-time.Second).Unix()},
		"not yet":                   {"nbf": noon.Add(time.Hour).Unix()},
		"a long subject":            {"sub": strings.Repeat("a", 256)},
		"a subject that is no text": {"sub": "a\x00"},
		"a subject that turns text": {"sub": "a\u202e"},
		"of six minutes ago":        {"auth_time": noon.Add(-6 * time.Minute).Unix()},
		"of a sign-in of yesterday": {"auth_time": noon.Add(-24 * time.Hour).Unix()},
		"of yesterday, as text":     {"auth_time": strconv.FormatInt(noon.Add(-24*time.Hour).Unix(), 10)},
		"of a sign-in of some day":  {"auth_time": "lately"},
	} {
		server.Claims = claims
		require.ErrorIs(t, finish(nil), idp.ErrRefused, name)
	}
	server.Claims = nil
	public, err := x509.MarshalPKIXPublicKey(server.Public())
	require.NoError(t, err)
	for name, sign := range map[string]func([]byte) string{
		"no token":    func([]byte) string { return "" },
		"another key": func(c []byte) string { return idptest.Signed(t, jose.ES256, idptest.NewKey(t), c) },
		"algorithm none": func(c []byte) string {
			return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString(c) + "."
		},
		"the public key as a secret": func(c []byte) string { return idptest.Signed(t, jose.HS256, public, c) },
		"changed on the way": func(c []byte) string {
			text := []byte(server.Signed(c))
			text[len(text)/2] ^= 1
			return string(text)
		},
	} {
		server.Sign = sign
		require.ErrorIs(t, finish(nil), idp.ErrRefused, name)
	}
	server.Sign = nil
	require.NoError(t, finish(nil))
}

func TestAProviderThatIsAwayIsAskedAgain(t *testing.T) {
	t.Parallel()
	real, down := idptest.New(t, clock), true
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		http.Redirect(w, r, real.URL+r.URL.Path, http.StatusFound)
	}))
	t.Cleanup(front.Close)
	p := client(t, front.URL)
	_, _, err := p.Begin(t.Context())
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	down = false
	_, _, err = p.Begin(t.Context())
	require.ErrorContains(t, err, "leads elsewhere", "a redirect is not followed")

	nobody := client(t, "http://127.0.0.1:1")
	_, _, err = nobody.Begin(t.Context())
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}

// TestAProviderMoves: where its parts are is read again within the hour, and not at each sign-in.
func TestAProviderMoves(t *testing.T) {
	t.Parallel()
	now := noon
	server := idptest.New(t, clock)
	p, err := idp.New(idp.Deps{Issuer: server.URL, ClientID: idptest.ClientID, Now: func() time.Time { return now }})
	require.NoError(t, err)
	leads := func() string {
		t.Helper()
		address, _, err := p.Begin(t.Context())
		require.NoError(t, err)
		before, _, _ := strings.Cut(address, "?")
		return strings.TrimPrefix(before, server.URL)
	}
	require.Equal(t, "/authorize", leads())
	server.Parts = map[string]any{"authorization_endpoint": server.URL + "/elsewhere"}
	require.Equal(t, "/authorize", leads())
	now = now.Add(time.Hour)
	require.Equal(t, "/elsewhere", leads())
}

// A part of it that is away is no answer that proves nothing: who signs in reads that it does not answer.
func TestAPartOfAProviderThatIsAwayProvesNothing(t *testing.T) {
	t.Parallel()
	server := idptest.New(t, clock)
	p := client(t, server.URL)
	for path, statuses := range map[string][]int{
		"/keys":  {http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusTooManyRequests},
		"/token": {http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusTooManyRequests},
	} {
		for _, status := range statuses {
			address, asked, err := p.Begin(t.Context())
			require.NoError(t, err)
			state, code := server.Visit(address)
			server.Fails = map[string]int{path: status}
			_, err = p.Finish(t.Context(), asked, state, code)
			require.Equal(t, fault.Unavailable, fault.KindOf(err), "%s %d: %v", path, status, err)
			require.NotErrorIs(t, err, idp.ErrRefused)
			server.Fails = nil
		}
	}
}

// What a provider names is from outside: only the operator may lead the till to a private address.
func TestAProviderLeadsNowhereWithin(t *testing.T) {
	t.Parallel()
	inside := 0
	within := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside++ }))
	t.Cleanup(within.Close)
	at, err := url.Parse(within.URL)
	require.NoError(t, err)
	port := at.Port()
	for _, host := range []string{"localhost", "127.0.0.2", "[::1]", "169.254.169.254", "10.0.0.1", "[::ffff:127.0.0.1]"} {
		server := idptest.New(t, clock)
		server.Parts = map[string]any{"token_endpoint": "http://" + host + ":" + port + "/token"}
		p := client(t, server.URL)
		address, a, err := p.Begin(t.Context())
		require.NoError(t, err)
		state, code := server.Visit(address)
		_, err = p.Finish(t.Context(), a, state, code)
		require.Equal(t, fault.Unavailable, fault.KindOf(err), host)
		require.ErrorContains(t, err, "may not call", host)
	}
	require.Zero(t, inside)

	server := idptest.New(t, clock)
	server.Parts = map[string]any{"issuer": "https://other.example.com"}
	_, _, err = client(t, server.URL).Begin(t.Context())
	require.ErrorContains(t, err, "did not match", "nor does it speak for another")
	for _, part := range []string{"token_endpoint", "authorization_endpoint", "jwks_uri"} {
		server.Parts = map[string]any{part: "ftp://" + at.Host + "/"}
		_, _, err = client(t, server.URL).Begin(t.Context())
		require.ErrorContains(t, err, "without TLS", part)
	}
}

func TestCheckAsksForTheKeys(t *testing.T) {
	t.Parallel()
	server := idptest.New(t, clock)
	usable, err := client(t, server.URL).Check(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, usable)
	for _, path := range []string{"/keys", "/.well-known/openid-configuration"} {
		server.Fails = map[string]int{path: http.StatusNotFound}
		_, err = client(t, server.URL).Check(t.Context())
		require.ErrorContains(t, err, "404")
		require.ErrorContains(t, err, "OIDC_ISSUER must be")
	}
}
