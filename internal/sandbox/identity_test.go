package sandbox_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/stretchr/testify/require"

	"airtill/internal/sandbox"
)

const formType = "application/x-www-form-urlencoded"

// tokenFor asks for a token with a form.
func (l *lab) tokenFor(form string, headers ...string) (answered, map[string]any) {
	l.t.Helper()
	a := l.must("POST", "/connect/token", form, append([]string{"Content-Type", formType, "api_key", ""}, headers...)...)
	var body map[string]any
	require.NoError(l.t, json.Unmarshal(a.body, &body), "%s", a.body)
	return a, body
}

const goodForm = "grant_type=client_credentials&client_id=sandbox-client&client_secret=sandbox-secret"

func (l *lab) login() {
	l.t.Helper()
	a, body := l.tokenFor(goodForm)
	require.Equal(l.t, 200, a.status)
	l.key, l.token = "", body["access_token"].(string)
}

func TestAuthentication_APIKey(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for _, key := range []string{"", "wrong", "sandbox-key "} {
		l.key = key
		r := l.api("GetBalance", "")
		if key == "sandbox-key " { // blanks around a header's value are not part of it
			r.is(t, 200, 1, "")
			continue
		}
		r.is(t, 401, 4, "AuthenticationFailed")
		l.send("A", nil).is(t, 401, 4, "AuthenticationFailed")
	}
	l.key = "sandbox-key"
	require.Empty(t, l.ledger().Entries, "a 401 executes nothing")
	l.config(`{"apiKey":"other"}`)
	l.api("GetBalance", "").is(t, 401, 4, "AuthenticationFailed")
}

func TestToken_ClientCredentialsInFormOrHeader(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("sandbox-client:sandbox-secret"))
	for _, try := range []struct {
		form    string
		headers []string
	}{
		{goodForm, nil}, {"grant_type=client_credentials&scope=topupapi", []string{"Authorization", basic}},
	} {
		a, body := l.tokenFor(try.form, try.headers...)
		require.Equal(t, 200, a.status, "%s", a.body)
		require.Equal(t, "no-store", a.header.Get("Cache-Control"))
		require.Equal(t, "Bearer", body["token_type"])
		require.Equal(t, "topupapi", body["scope"])
		require.InDelta(t, 1800, body["expires_in"], 0)
		l.key, l.token = "", body["access_token"].(string)
		l.api("GetBalance", "").is(t, 200, 1, "")
	}
}

func TestToken_IsAnRS256AccessTokenOfTheKeySet(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.login()
	token, err := jwt.ParseSigned(l.token, []jose.SignatureAlgorithm{jose.RS256})
	require.NoError(t, err)
	require.Equal(t, "at+jwt", token.Headers[0].ExtraHeaders[jose.HeaderType])
	var found struct {
		Issuer, JwksURI, TokenEndpoint string
	}
	var raw map[string]any
	require.NoError(t, json.Unmarshal(l.must("GET", "/.well-known/openid-configuration", "").body, &raw))
	found.Issuer, found.JwksURI, found.TokenEndpoint = raw["issuer"].(string), raw["jwks_uri"].(string), raw["token_endpoint"].(string)
	require.Equal(t, l.server.URL, found.Issuer)
	require.Equal(t, l.server.URL+"/connect/token", found.TokenEndpoint)
	require.Equal(t, []any{"client_secret_basic", "client_secret_post"}, raw["token_endpoint_auth_methods_supported"])
	require.Equal(t, []any{"RS256"}, raw["id_token_signing_alg_values_supported"])

	var set jose.JSONWebKeySet
	require.NoError(t, json.Unmarshal(l.must("GET", strings.TrimPrefix(found.JwksURI, l.server.URL), "").body, &set))
	var claims jwt.Claims
	require.NoError(t, token.Claims(set.Key(token.Headers[0].KeyID)[0].Key, &claims))
	require.Equal(t, "sandbox-client", claims.Subject)
	require.Equal(t, start.Add(30*time.Minute), claims.Expiry.Time().UTC())
}

func TestToken_ErrorsOfRFC6749(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	wrong := "Basic " + base64.StdEncoding.EncodeToString([]byte("sandbox-client:wrong"))
	for name, c := range map[string]struct {
		form    string
		headers []string
		status  int
		want    string
	}{
		"wrong secret":  {strings.Replace(goodForm, "sandbox-secret", "x", 1), nil, 400, "invalid_client"},
		"wrong client":  {strings.Replace(goodForm, "sandbox-client", "x", 1), nil, 400, "invalid_client"},
		"no client":     {"grant_type=client_credentials", nil, 400, "invalid_client"},
		"wrong basic":   {"grant_type=client_credentials", []string{"Authorization", wrong}, 401, "invalid_client"},
		"other grant":   {strings.Replace(goodForm, "client_credentials", "password", 1), nil, 400, "unsupported_grant_type"},
		"no grant":      {"client_id=sandbox-client", nil, 400, "unsupported_grant_type"},
		"unknown scope": {goodForm + "&scope=all", nil, 400, "invalid_scope"},
		"bad form":      {"%zz", nil, 400, "invalid_request"},
		"huge form":     {"grant_type=" + strings.Repeat("x", 1<<17), nil, 400, "invalid_request"},
	} {
		a, body := l.tokenFor(c.form, c.headers...)
		require.Equal(t, c.status, a.status, name)
		require.Equal(t, c.want, body["error"], name)
	}
	require.Equal(t, 405, l.must("GET", "/connect/token", "").status)
}

func TestToken_ExpiredOrForged(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	l := newLab(t, func(d *sandbox.Deps) {
		d.Now = func() time.Time { return start.Add(time.Duration(passed.Load())) }
	})
	_, answer := l.tokenFor(goodForm)
	require.EqualValues(t, 30*60, answer["expires_in"])
	l.login()
	good := l.token
	for _, token := range []string{"", "x", good + "x", good[:len(good)-5] + "AAAAA", "e30.e30.", url.QueryEscape(good) + "."} {
		l.token = token
		l.api("GetBalance", "").is(t, 401, 4, "AuthenticationFailed")
	}
	other := newLab(t, func(d *sandbox.Deps) { d.Data = t.TempDir() }) // has keys of its own
	other.login()
	l.token = other.token
	l.api("GetBalance", "").is(t, 401, 4, "AuthenticationFailed")

	l.token = good
	l.api("GetBalance", "").is(t, 200, 1, "")
	passed.Store(int64(30*time.Minute + time.Second))
	l.api("GetBalance", "").is(t, 401, 4, "AuthenticationFailed/TokenExpired")
}

func TestToken_RevokedByAFault(t *testing.T) {
	t.Parallel()
	var passed atomic.Int64
	l := newLab(t, func(d *sandbox.Deps) {
		d.Now = func() time.Time { return start.Add(time.Duration(passed.Load())) }
	})
	l.login()
	l.fault(`{"match":{"endpoint":"SendTransfer"},"action":{"kind":"token_revoke"}}`)
	l.send("A", nil).is(t, 401, 4, "AuthenticationFailed/TokenExpired")
	l.send("A", nil).is(t, 401, 4, "AuthenticationFailed/TokenExpired")
	require.Empty(t, l.ledger().Entries)
	passed.Store(int64(time.Second))
	l.login()
	l.send("A", nil).is(t, 200, 1, "")
}

// Tokens from before a reset or a restart have been given out, too.
func TestToken_RevokedHoweverOldItIs(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(*lab){
		"reset": func(l *lab) { l.must("POST", "/_sandbox/reset", "") }, "restart": (*lab).restart,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newDiskLab(t)
			l.login()
			begin(l)
			l.api("GetBalance", "").is(t, 200, 1, "")
			l.fault(`{"match":{"endpoint":"GetBalance"},"action":{"kind":"token_revoke"}}`)
			l.api("GetBalance", "").is(t, 401, 4, "AuthenticationFailed/TokenExpired")
			l.api("GetBalance", "").is(t, 401, 4, "AuthenticationFailed/TokenExpired")
		})
	}
}

func TestToken_TheIdentityServerCanBeDown(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.fault(`{"match":{"endpoint":"Token"},"action":{"kind":"html","status":503},"times":1}`)
	require.Equal(t, 503, l.must("POST", "/connect/token", goodForm, "Content-Type", formType).status)
	l.login()
	l.fault(`{"match":{"endpoint":"WebhookKeys"},"action":{"kind":"drop"},"times":-1}`) // Go repeats a GET by itself
	_, err := l.do(http.MethodGet, "/.well-known/webhook-keys", "")
	require.Error(t, err)
	l.must(http.MethodDelete, "/_sandbox/faults", "")
	require.Equal(t, 200, l.must("GET", "/.well-known/webhook-keys", "").status)
}
