package apiclient_test

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// keyServer serves a JWKS that tests replace.
type keyServer struct {
	*httptest.Server
	fetches atomic.Int32
	status  atomic.Int32
	body    atomic.Value
}

func newKeyServer(t *testing.T, keys ...jose.JSONWebKey) *keyServer {
	t.Helper()
	s := &keyServer{}
	s.status.Store(200)
	s.set(t, keys...)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fetches.Add(1)
		status := int(s.status.Load())
		if r.URL.Path != "/.well-known/webhook-keys" {
			status = 404
		}
		says(status, s.body.Load().(string))(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *keyServer) set(t *testing.T, keys ...jose.JSONWebKey) {
	t.Helper()
	body, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	require.NoError(t, err)
	s.body.Store(string(body))
}

func publicKey(id string, key *rsa.PrivateKey) jose.JSONWebKey {
	return jose.JSONWebKey{Key: &key.PublicKey, KeyID: id, Algorithm: "RS256", Use: "sig"}
}

func TestWebhookKeysAreCached(t *testing.T) {
	t.Parallel()
	b := newWebhookBench(t)
	opens := func() error {
		_, err := b.open(t, b.signed(t, completeAnswer, timestampBody), completeAnswer)
		return err
	}
	for range 5 {
		require.NoError(t, opens())
	}
	require.Equal(t, int32(1), b.keys.fetches.Load())
	b.clock.advance(4 * time.Hour)
	require.NoError(t, opens())
	require.Equal(t, int32(2), b.keys.fetches.Load())

	// The key server is gone: the good set lives on for a day.
	b.keys.status.Store(500)
	b.clock.advance(23 * time.Hour)
	require.NoError(t, opens())
	require.NoError(t, opens())
	require.Equal(t, int32(3), b.keys.fetches.Load(), "asked again only after a minute")
	b.clock.advance(time.Hour)
	requireStatus(t, opens(), 503)

	b.clock.advance(time.Minute)
	b.keys.status.Store(200)
	require.NoError(t, opens())
}

func TestWebhookUnknownKeyIDs(t *testing.T) {
	t.Parallel()
	b := newWebhookBench(t)
	try := func(id string) error {
		h := b.signed(t, completeAnswer, timestampBody)
		h.Set(prefix+"Key-Id", id)
		_, err := b.open(t, h, completeAnswer)
		return err
	}
	require.NoError(t, try("k1"))
	b.clock.advance(time.Minute)
	requireStatus(t, try("flood0"), 401)
	for i := range 50 { // a flood: no set was fetched since they were first seen
		requireStatus(t, try("flood"+strconv.Itoa(i+1)), 503)
	}
	require.Equal(t, int32(2), b.keys.fetches.Load())

	// A key known not to exist does not use up the fetch of a new one.
	b.clock.advance(time.Minute)
	requireStatus(t, try("flood0"), 401)
	require.Equal(t, int32(2), b.keys.fetches.Load())
	b.keys.set(t, publicKey("k1", otherKey()), publicKey("k2", signingKey()))
	require.NoError(t, try("k2"))
	require.Equal(t, int32(3), b.keys.fetches.Load())
	requireStatus(t, try("k1"), 401)

	b.keys.status.Store(503)
	b.clock.advance(time.Minute)
	requireStatus(t, try("k9"), 503)
}

// A key that came into use right after a fetch is asked for at the redelivery: it
// was not in a set of before it was first seen, and that says nothing.
func TestAWebhookKeyRotatedRightAfterAFetchIsFound(t *testing.T) {
	t.Parallel()
	for _, later := range []time.Duration{0, 59 * time.Second} {
		b := newWebhookBench(t)
		try := func(id string) error {
			h := b.signed(t, completeAnswer, timestampBody)
			h.Set(prefix+"Key-Id", id)
			_, err := b.open(t, h, completeAnswer)
			return err
		}
		require.NoError(t, try("k1"))
		b.clock.advance(later)
		b.keys.set(t, publicKey("k2", signingKey()))
		requireStatus(t, try("k2"), 503)
		requireStatus(t, try("forged"), 503)
		require.EqualValues(t, 1, b.keys.fetches.Load(), "once a minute")
		b.clock.advance(time.Minute)
		require.NoError(t, try("k2"))
		requireStatus(t, try("forged"), 401)
		require.EqualValues(t, 2, b.keys.fetches.Load(), "one fetch tells of both")
		b.clock.advance(10 * time.Minute)
		b.keys.set(t, publicKey("forged", signingKey()))
		require.NoError(t, try("forged"), "not for ever")
	}
}

// Of a key nothing is read but what verifies: the rest may be odd.
func TestWhatElseAWebhookKeyHoldsIsIgnored(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{`"x5t":"!"`, `"x5t#S256":7`, `"x5c":["no"]`, `"x5u":{}`, `"key_ops":"sign"`, `"ext":[]`, `"d":"AQ"`} {
		b := newWebhookBench(t)
		set := b.keys.body.Load().(string)
		b.keys.body.Store(strings.Replace(set, `{"use"`, `{`+odd+`,"use"`, 1))
		require.NotEqual(t, set, b.keys.body.Load())
		_, err := b.open(t, b.signed(t, completeAnswer, timestampBody), completeAnswer)
		require.NoError(t, err, odd)
	}
}

func TestWebhookFetchesOnceForMany(t *testing.T) {
	t.Parallel()
	b := newWebhookBench(t)
	h := b.signed(t, completeAnswer, timestampBody)
	var group sync.WaitGroup
	var opened atomic.Int32
	for range 20 {
		group.Go(func() {
			if _, err := b.Open(t.Context(), h, []byte(completeAnswer), b.clock.now()); err == nil {
				opened.Add(1)
			}
		})
	}
	group.Wait()
	require.Equal(t, int32(20), opened.Load())
	require.Equal(t, int32(1), b.keys.fetches.Load())
}

func TestWebhookUnusableKeys(t *testing.T) {
	t.Parallel()
	good := publicKey("k1", signingKey())
	with := func(change func(*jose.JSONWebKey)) jose.JSONWebKey {
		key := good
		change(&key)
		return key
	}
	for name, key := range map[string]jose.JSONWebKey{
		"for encryption":    with(func(k *jose.JSONWebKey) { k.Use = "enc" }),
		"another algorithm": with(func(k *jose.JSONWebKey) { k.Algorithm = "PS256" }),
		"no algorithm":      with(func(k *jose.JSONWebKey) { k.Algorithm = "" }),
		"too small":         with(func(k *jose.JSONWebKey) { k.Key = &newRSA(1024).PublicKey }),
		"too large": with(func(k *jose.JSONWebKey) {
			k.Key = &rsa.PublicKey{N: new(big.Int).Lsh(big.NewInt(1), 8192), E: 65537}
		}),
		"raised to one":    with(func(k *jose.JSONWebKey) { k.Key = &rsa.PublicKey{N: signingKey().N, E: 1} }),
		"an even exponent": with(func(k *jose.JSONWebKey) { k.Key = &rsa.PublicKey{N: signingKey().N, E: 4} }),
		"symmetric":        with(func(k *jose.JSONWebKey) { k.Key = []byte("0123456789abcdef0123456789abcdef") }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newKeyServer(t, key, publicKey("k0", otherKey()))
			keys, err := apiclient.NewWebhookKeys(apiclient.WebhookKeysDeps{AuthURL: server.URL, Now: newClock().now})
			require.NoError(t, err)
			t.Cleanup(keys.Close)
			usable, err := keys.Refresh(t.Context())
			require.NoError(t, err)
			require.Equal(t, 1, usable)
		})
	}
	b := newWebhookBench(t)
	require.NoError(t, func() error {
		_, err := b.open(t, b.signed(t, completeAnswer, timestampBody), completeAnswer)
		return err
	}())
	for _, set := range []string{`{"keys":[]}`, `{}`, `<html>`, `{"keys":[{"kty":"XX"}]}`} {
		b.keys.body.Store(set)
		b.clock.advance(5 * time.Hour)
		_, err := b.open(t, b.signed(t, completeAnswer, timestampBody), completeAnswer)
		require.NoError(t, err, "a bad set does not replace a good one: %s", set)
	}
}

// A key set is read to a bound: whoever answers in the key server's place fills no memory.
func TestWebhookKeySetThatIsTooLong(t *testing.T) {
	t.Parallel()
	server := newKeyServer(t, publicKey("k1", signingKey()))
	server.body.Store(`{"x":"` + strings.Repeat("x", 256<<10) + `",` + server.body.Load().(string)[1:])
	keys, err := apiclient.NewWebhookKeys(apiclient.WebhookKeysDeps{AuthURL: server.URL, Now: newClock().now})
	require.NoError(t, err)
	t.Cleanup(keys.Close)
	_, err = keys.Refresh(t.Context())
	require.Error(t, err)
}

func TestParsePrivateKeys(t *testing.T) {
	t.Parallel()
	pkcs1 := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(signingKey())})
	der, err := x509.MarshalPKCS8PrivateKey(otherKey())
	require.NoError(t, err)
	pkcs8 := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})

	keys, err := apiclient.ParsePrivateKeys(append(pkcs1, pkcs8...))
	require.NoError(t, err)
	require.True(t, keys[0].Equal(signingKey()))
	require.True(t, keys[1].Equal(otherKey()))
	for _, bad := range []string{"", "no pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")}))} {
		_, err := apiclient.ParsePrivateKeys([]byte(bad))
		require.Error(t, err)
	}
}
