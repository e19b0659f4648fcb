package apiclient

import (
	"context"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"airtill/internal/dial"
)

const (
	keysRefresh   = 4 * time.Hour    // when a set is fetched again
	keysLife      = 24 * time.Hour   // how long a set is used at most, if none can be fetched
	keysRetry     = time.Minute      // between fetches, whatever arrives
	unknownLife   = 10 * time.Minute // how long a key id the key server lacks is not looked for again
	maxUnknown    = 1000
	keysDeadline  = 5 * time.Second
	keysLimit     = 256 << 10
	minKeyBits    = 2048
	maxKeyBits    = 8192
	maxKeyIDBytes = 256
)

var (
	errUnknownKey = errors.New("unknown key id")
	errNewKey     = errors.New("a key id that no set was fetched for yet")
	errNoKeys     = errors.New("no usable key set")
)

// WebhookKeysDeps is what WebhookKeys needs.
type WebhookKeysDeps struct {
	AuthURL string       // the part before /.well-known/webhook-keys
	Log     *slog.Logger // nil: none
	Now     func() time.Time
	Resolve dial.Resolve // nil: the system's
}

// WebhookKeys remembers the public keys that sign webhooks (INTERFACE.md,
// Verification procedure; SALE.md, Webhook 3). It is safe for concurrent use.
type WebhookKeys struct {
	url       string
	now       func() time.Time
	log       *slog.Logger
	transport *http.Transport
	flight    singleflight.Group

	mu      sync.Mutex
	keys    map[string]*rsa.PublicKey
	fetched time.Time // when keys were fetched
	fetch   int       // the number of that fetch
	asked   time.Time // when they were last asked for
	fetches int       // how often
	failed  bool      // whether the last one failed
	missed  map[string]missed
}

// missed is when a key id missing from the set was first seen.
type missed struct {
	at      time.Time
	fetches int // made by then
}

// NewWebhookKeys returns an empty cache, which fetches when first asked. It fails on an unusable address.
func NewWebhookKeys(d WebhookKeysDeps) (*WebhookKeys, error) {
	if d.Now == nil {
		return nil, errors.New("webhook keys: no clock")
	}
	if !IsAddress(d.AuthURL) {
		return nil, errors.New(
			"webhook keys: the address of the identity provider is not an absolute http or https address",
		)
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	k := &WebhookKeys{
		url: strings.TrimRight(d.AuthURL, "/") + "/.well-known/webhook-keys", now: d.Now, log: d.Log,
		transport: newTransport(), missed: map[string]missed{},
	}
	dialer := dial.Dialer{Resolve: d.Resolve, Named: dial.Anything}
	k.transport.DialContext = dialer.DialContext
	return k, nil
}

// Refresh fetches the keys now and returns how many are usable, to check the configuration; Webhook refreshes
// by itself.
func (k *WebhookKeys) Refresh(ctx context.Context) (int, error) {
	if err := k.fetchOnce(ctx, func() bool { return true }); err != nil {
		return 0, fmt.Errorf("fetch webhook keys: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.keys), nil
}

// Close closes idle connections.
func (k *WebhookKeys) Close() { k.transport.CloseIdleConnections() }

// key returns the key with this id. It fails with errUnknownKey if the key server lacks it, with errNewKey if
// that will be known a minute later (a set from before the id was first seen may lack a key used since), and
// with errNoKeys if there is no set.
func (k *WebhookKeys) key(ctx context.Context, id string) (*rsa.PublicKey, error) {
	if due := func() bool { return k.due(id) }; due() {
		if err := k.fetchOnce(ctx, due); err != nil {
			k.log.WarnContext(ctx, "webhook.keys_not_fetched", "error", err)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch key, found := k.keys[id]; {
	case k.now().Sub(k.fetched) >= keysLife:
		return nil, errNoKeys
	case found:
		return key, nil
	case k.failed:
		return nil, errNoKeys
	case !k.absent(id):
		return nil, errNewKey
	}
	return nil, errUnknownKey
}

// due says whether to fetch before looking for this id: the set is old, or nobody knows whether the key server
// has it, and nobody asked in the last minute.
func (k *WebhookKeys) due(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	unsure := k.keys[id] == nil && !k.absent(id)
	if now.Sub(k.asked) < keysRetry {
		return false
	}
	return unsure || now.Sub(k.fetched) >= keysRefresh
}

// absent says whether a set fetched after this id was first seen lacks it. Such ids are remembered for a
// while, so that they do not use up the fetches a new key may need. The memory is bounded, since anybody can
// send ids. k.mu is held.
func (k *WebhookKeys) absent(id string) bool {
	m, known := k.missed[id]
	if known && (k.fetch <= m.fetches || k.now().Sub(m.at) < unknownLife) {
		return k.fetch > m.fetches
	}
	if len(k.missed) >= maxUnknown {
		clear(k.missed)
	}
	k.missed[id] = missed{k.now(), k.fetches}
	return false
}

// fetchOnce fetches for all who wait, if it is still due when their turn comes; a caller that gives up does
// not take the keys from the others.
func (k *WebhookKeys) fetchOnce(ctx context.Context, due func() bool) error {
	fetching := k.flight.DoChan("keys", func() (any, error) {
		if !due() {
			return nil, nil
		}
		return nil, k.fetchNow(context.WithoutCancel(ctx))
	})
	select {
	case result := <-fetching:
		return result.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (k *WebhookKeys) fetchNow(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, keysDeadline)
	defer cancel()
	k.mu.Lock()
	k.fetches++
	this := k.fetches // what is first seen from now on may be missing from it
	k.mu.Unlock()
	keys, err := k.request(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked, k.failed = k.now(), err != nil
	if err == nil {
		k.keys, k.fetched, k.fetch = keys, k.asked, this
	}
	return err
}

func (k *WebhookKeys) request(ctx context.Context) (map[string]*rsa.PublicKey, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, k.url, nil)
	if err != nil {
		return nil, errors.New("cannot form the request")
	}
	resp, err := k.transport.RoundTrip(req)
	if err != nil {
		return nil, onTheWay(err)
	}
	defer func() { _ = resp.Body.Close() }() // a connection that closes badly cannot be helped
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the key server answers HTTP %d", resp.StatusCode)
	}
	return readKeys(io.LimitReader(resp.Body, keysLimit))
}

// readKeys reads the usable keys of a JWKS. A set without any is an error: it must not replace a good one.
func readKeys(r io.Reader) (map[string]*rsa.PublicKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.NewDecoder(r).Decode(&set); err != nil {
		return nil, errors.New("the key set is unreadable")
	}
	keys := map[string]*rsa.PublicKey{}
	for _, data := range set.Keys {
		var key webhookKey
		if json.Unmarshal(data, &key) != nil {
			continue // another kind of key
		}
		if public, usable := key.public(); usable && keys[key.ID] == nil {
			keys[key.ID] = public
		}
	}
	if len(keys) == 0 {
		return nil, errNoKeys
	}
	return keys, nil
}

// webhookKey is what is read of a key. Everything else in it, well-formed or not, is ignored.
type webhookKey struct {
	Type      string `json:"kty"`
	Use       string `json:"use"`
	Algorithm string `json:"alg"`
	ID        string `json:"kid"`
	N         string `json:"n"`
	E         string `json:"e"`
}

// public returns the key if it may sign webhooks.
func (k webhookKey) public() (*rsa.PublicKey, bool) {
	if k.Type != "RSA" || k.Use != "sig" || k.Algorithm != "RS256" || k.ID == "" {
		return nil, false
	}
	n, err1 := number(k.N)
	e, err2 := number(k.E)
	if err1 != nil || err2 != nil || e.BitLen() > 31 {
		return nil, false
	}
	public := &rsa.PublicKey{N: n, E: int(e.Int64())}
	bits := n.BitLen()
	return public, bits >= minKeyBits && bits <= maxKeyBits && public.E >= 3 && public.E%2 == 1
}

// number reads one of a key's numbers, with or without padding.
func number(text string) (*big.Int, error) {
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	return new(big.Int).SetBytes(raw), err
}
