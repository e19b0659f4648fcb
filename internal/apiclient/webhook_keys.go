package apiclient

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/sync/singleflight"
)

const (
	keysRefresh   = 4 * time.Hour    // a set is fetched anew
	keysLife      = 24 * time.Hour   // a set is used at most, if none can be fetched
	keysRetry     = time.Minute      // between fetches, whatever arrives
	unknownLife   = 10 * time.Minute // a key id that was not in the set is not looked for again
	maxUnknown    = 1000
	keysDeadline  = 5 * time.Second
	keysLimit     = 256 << 10
	minKeyBits    = 2048
	maxKeyBits    = 8192
	maxKeyIDBytes = 256
)

var (
	errUnknownKey = errors.New("unknown key id")
	errNoKeys     = errors.New("no usable key set")
)

// WebhookKeysDeps is what WebhookKeys needs.
type WebhookKeysDeps struct {
	AuthURL string       // the part before /.well-known/webhook-keys
	Log     *slog.Logger // nil: none
	Now     func() time.Time
}

// WebhookKeys keeps the public keys that sign webhooks (INTERFACE.md,
// Verification procedure; SALE.md, Webhook 3). It is safe for concurrent use.
type WebhookKeys struct {
	url       string
	now       func() time.Time
	log       *slog.Logger
	transport *http.Transport
	flight    singleflight.Group

	mu      sync.Mutex
	keys    map[string]*rsa.PublicKey
	fetched time.Time // when keys were
	asked   time.Time // when they were last asked for
	failed  bool      // and whether that failed
	unknown map[string]time.Time
}

// NewWebhookKeys returns an empty cache, which fetches when first asked. It
// fails if the address is not usable.
func NewWebhookKeys(d WebhookKeysDeps) (*WebhookKeys, error) {
	if d.Now == nil {
		return nil, errors.New("webhook keys: no clock")
	}
	if !isAddress(d.AuthURL) {
		return nil, errors.New("webhook keys: the address of the identity provider is not an absolute http or https address")
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &WebhookKeys{
		url: strings.TrimRight(d.AuthURL, "/") + "/.well-known/webhook-keys", now: d.Now, log: d.Log,
		transport: newTransport(), unknown: map[string]time.Time{},
	}, nil
}

// Refresh fetches the keys now and returns how many are usable. It is for a
// check of the configuration; Webhook refreshes by itself.
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

// key returns the key of this id. It fails with errUnknownKey if the key server
// does not have it, and with errNoKeys if that cannot be told now.
func (k *WebhookKeys) key(ctx context.Context, id string) (*rsa.PublicKey, error) {
	if due := func() bool { return k.due(id) }; due() {
		if err := k.fetchOnce(ctx, due); err != nil {
			k.log.WarnContext(ctx, "webhook.keys_not_fetched", "error", err)
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	switch key, found := k.keys[id]; {
	case now.Sub(k.fetched) >= keysLife:
		return nil, errNoKeys
	case found:
		return key, nil
	case k.failed:
		return nil, errNoKeys
	}
	k.remember(id, now)
	return nil, errUnknownKey
}

// due says whether to fetch before looking for this id: the set is old or does
// not have it, and nobody asked within the last minute.
func (k *WebhookKeys) due(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	if now.Sub(k.asked) < keysRetry {
		return false
	}
	if now.Sub(k.fetched) >= keysRefresh {
		return true
	}
	return k.keys[id] == nil && now.Sub(k.unknown[id]) >= unknownLife
}

// remember keeps an id that does not exist, so that it does not use up the
// fetches that a new key may need. The memory is bounded: ids are anybody's.
func (k *WebhookKeys) remember(id string, now time.Time) {
	if now.Sub(k.unknown[id]) < unknownLife {
		return
	}
	if len(k.unknown) >= maxUnknown {
		clear(k.unknown)
	}
	k.unknown[id] = now
}

// fetchOnce fetches for all who wait, if it is still due when their turn comes;
// one who gives up does not take the keys from the others.
func (k *WebhookKeys) fetchOnce(ctx context.Context, due func() bool) error {
	fetching := k.flight.DoChan("keys", func() (any, error) {
		if !due() {
			return nil, nil
		}
		return nil, k.fetch(context.WithoutCancel(ctx))
	})
	select {
	case result := <-fetching:
		return result.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (k *WebhookKeys) fetch(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, keysDeadline)
	defer cancel()
	keys, err := k.request(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked, k.failed = k.now(), err != nil
	if err == nil {
		k.keys, k.fetched = keys, k.asked
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
	defer func() { _ = resp.Body.Close() }() // nothing can be done about a connection that closes badly
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the key server answers HTTP %d", resp.StatusCode)
	}
	return readKeys(io.LimitReader(resp.Body, keysLimit))
}

// readKeys reads the usable keys of a JWKS. A set without any is an error: it
// must not take the place of a good one.
func readKeys(r io.Reader) (map[string]*rsa.PublicKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.NewDecoder(r).Decode(&set); err != nil {
		return nil, errors.New("the key set is unreadable")
	}
	keys := map[string]*rsa.PublicKey{}
	for _, data := range set.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(data, &key) != nil {
			continue // a kind of key that is not for us
		}
		if public, usable := usableKey(key); usable && keys[key.KeyID] == nil {
			keys[key.KeyID] = public
		}
	}
	if len(keys) == 0 {
		return nil, errNoKeys
	}
	return keys, nil
}

func usableKey(key jose.JSONWebKey) (*rsa.PublicKey, bool) {
	public, isRSA := key.Key.(*rsa.PublicKey)
	if !isRSA || !key.Valid() || key.KeyID == "" || key.Algorithm != "RS256" || key.Use != "sig" {
		return nil, false
	}
	bits := public.N.BitLen()
	return public, bits >= minKeyBits && bits <= maxKeyBits && public.E >= 3 && public.E%2 == 1
}
