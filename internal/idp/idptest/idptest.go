// Package idptest is an identity provider for tests: over HTTP, in this process, with faults.
package idptest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"
)

// The till's client at the provider.
const (
	ClientID = "till"
	Secret   = "a secret of the till's"
)

// Provider is the identity provider. Its fields may be set between requests.
type Provider struct {
	URL string
	Now func() time.Time

	// Claims are added to those that every token has, or replace them; nil takes one away.
	Claims map[string]any
	// Sign writes a token; nil signs it as is right.
	Sign func(claims []byte) string
	// Parts are added to what the provider says of itself, or replace it.
	Parts map[string]any
	// Fails is what the part at a path answers instead, as "/keys": a status.
	Fails map[string]int

	t     testing.TB
	key   *ecdsa.PrivateKey
	mu    sync.Mutex
	codes map[string]url.Values // what was asked for, by code
}

// New starts a provider, which ends with the test.
func New(t testing.TB, now func() time.Time) *Provider {
	t.Helper()
	p := &Provider{t: t, Now: now, key: NewKey(t), codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.about)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		key := jose.JSONWebKey{Key: p.key.Public(), KeyID: "1", Algorithm: "ES256", Use: "sig"}
		p.write(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{key}})
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status := p.Fails[r.URL.Path]; status != 0 {
			w.WriteHeader(status)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// NewKey is a key that signs tokens.
func NewKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}

// Signed signs claims with a key.
func Signed(t testing.TB, algorithm jose.SignatureAlgorithm, key any, claims []byte) string {
	t.Helper()
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: algorithm, Key: jose.JSONWebKey{Key: key, KeyID: "1"}}, nil)
	require.NoError(t, err)
	signed, err := signer.Sign(claims)
	require.NoError(t, err)
	text, err := signed.CompactSerialize()
	require.NoError(t, err)
	return text
}

// Signed signs claims as is right.
func (p *Provider) Signed(claims []byte) string { return Signed(p.t, jose.ES256, p.key, claims) }

// Public is the provider's public key.
func (p *Provider) Public() *ecdsa.PublicKey { return &p.key.PublicKey }

func (p *Provider) write(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // who asked has gone if this fails
}

func (p *Provider) about(w http.ResponseWriter, _ *http.Request) {
	about := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
		"jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"ES256", "none", "HS256"},
	}
	for name, value := range p.Parts {
		about[name] = value
	}
	p.write(w, about)
}

// authorize signs somebody in at once.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	code, asked := rand.Text(), r.URL.Query()
	p.mu.Lock()
	p.codes[code] = asked
	p.mu.Unlock()
	back := url.Values{"code": {code}, "state": {asked.Get("state")}}
	//nolint:gosec // a provider of tests sends back whoever comes
	http.Redirect(w, r, asked.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// Visit goes where the till sends a browser, and returns with what the provider says.
func (p *Provider) Visit(address string) (state, code string) {
	p.t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, address, nil)
	require.NoError(p.t, err)
	response, err := client.Do(request)
	require.NoError(p.t, err)
	require.NoError(p.t, response.Body.Close())
	back, err := response.Location()
	require.NoError(p.t, err)
	return back.Query().Get("state"), back.Query().Get("code")
}

// token gives out a token for a code, once, to who can show the verifier of its challenge.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	secret, _ = url.QueryUnescape(secret)
	p.mu.Lock()
	asked, known := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	p.mu.Unlock()
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !known || id != ClientID || secret != Secret || asked.Get("code_challenge_method") != "S256" ||
		base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") {
		w.WriteHeader(http.StatusBadRequest)
		p.write(w, map[string]string{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{
		"iss": p.URL, "aud": ClientID, "sub": "1", "nonce": asked.Get("nonce"), "iat": p.Now().Unix(),
		"exp": p.Now().Add(5 * time.Minute).Unix(),
	}
	for name, value := range p.Claims {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	body, err := json.Marshal(claims)
	if err != nil {
		p.t.Errorf("claims: %v", err)
		return
	}
	sign := p.Sign
	if sign == nil {
		sign = p.Signed
	}
	p.write(w, map[string]any{"access_token": "x", "token_type": "Bearer", "expires_in": 300, "id_token": sign(body)})
}
