package idp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"

	"airtill/internal/dial"
)

const (
	answersWithin = 10 * time.Second
	mostBytes     = 1 << 20 // of one answer
)

// config asks the provider where its parts are, unless it has said so lately.
func (p *Provider) config(ctx context.Context) (*oauth2.Config, *oidc.Provider, error) {
	parts, now := p.known.Load(), p.d.Now()
	if parts == nil || now.Sub(parts.at) >= knownFor {
		found, err := p.discover(ctx)
		if err != nil {
			return nil, nil, away(err)
		}
		parts = &known{found, now}
		p.known.Store(parts)
	}
	return &oauth2.Config{
		ClientID: p.d.ClientID, ClientSecret: p.d.ClientSecret, Endpoint: parts.Endpoint(), RedirectURL: p.d.Redirect,
		Scopes: append([]string{oidc.ScopeOpenID}, p.d.Scopes...),
	}, parts.Provider, nil
}

// discover refuses parts that are less protected than the provider's own address.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	known, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.d.Issuer)
	if err != nil {
		return nil, err
	}
	keys, err := keysAt(known)
	if err != nil {
		return nil, err
	}
	own, err := url.Parse(p.d.Issuer)
	if err != nil {
		return nil, err
	}
	for _, part := range []string{known.Endpoint().AuthURL, known.Endpoint().TokenURL, keys} {
		u, err := url.Parse(part)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != own.Scheme {
			return nil, errors.New("the provider names an address without TLS")
		}
	}
	return known, nil
}

// keysAt is where the provider's public keys are.
func keysAt(known *oidc.Provider) (address string, err error) {
	var parts struct {
		Keys string `json:"jwks_uri"`
	}
	err = known.Claims(&parts)
	return parts.Keys, err
}

// keys are the provider's, as it has them now. A token of a provider whose keys cannot be read proves nothing either
// way.
type keys struct {
	remote *oidc.RemoteKeySet
	unread error // why they could not be read
}

func keysOf(ctx context.Context, known *oidc.Provider) (*keys, error) {
	address, err := keysAt(known)
	return &keys{remote: oidc.NewRemoteKeySet(ctx, address)}, err
}

// VerifySignature is called by the library, which tells a key that is missing from keys that are away only in words.
func (k *keys) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := k.remote.VerifySignature(ctx, token)
	if errors.Unwrap(err) != nil { // a wrong signature has no cause
		k.unread = err
	}
	return payload, err
}

// busy says whether a status tells of the provider's own trouble, and nothing of what it was asked.
func busy(status int) bool {
	return status >= http.StatusInternalServerError || status == http.StatusTooManyRequests
}

// Check asks the provider where its parts are and for its keys, and returns how many of those sign-ins can be checked
// with.
func (p *Provider) Check(ctx context.Context) (int, error) {
	keys, err := p.keys(ctx)
	if err != nil {
		return 0, fmt.Errorf("%w; OIDC_ISSUER must be the address by which the provider names itself", err)
	}
	usable := 0
	for _, key := range keys {
		if key.Valid() && key.IsPublic() && (key.Use == "" || key.Use == "sig") {
			usable++
		}
	}
	if usable == 0 {
		return 0, errors.New("the provider has no key that the till can use; have it sign with RSA, EC or Ed25519")
	}
	return usable, nil
}

func (p *Provider) keys(ctx context.Context) ([]jose.JSONWebKey, error) {
	known, err := p.discover(ctx)
	if err != nil {
		return nil, err
	}
	address, err := keysAt(known)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := p.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the provider answers %s when asked for its keys", response.Status)
	}
	var all jose.JSONWebKeySet
	if err := json.NewDecoder(response.Body).Decode(&all); err != nil {
		return nil, fmt.Errorf("read the provider's keys: %w", err)
	}
	return all.Keys, nil
}

// newClient returns a client that follows no redirect, reads no endless answer, and asks no
// private address but the one that the operator named: what the provider itself names is from
// outside.
func (p *Provider) newClient() *http.Client {
	dialer := dial.Dialer{Resolve: p.d.Resolve, Named: func(hostPort string) bool { return hostPort == p.host }}
	return &http.Client{
		Timeout: answersWithin,
		Transport: bounded{&http.Transport{
			Proxy: nil, DialContext: dialer.DialContext, TLSHandshakeTimeout: answersWithin,
			MaxResponseHeaderBytes: 16 << 10, DisableCompression: true, IdleConnTimeout: time.Minute,
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("the provider leads elsewhere") },
	}
}

// bounded cuts answers off.
type bounded struct{ http.RoundTripper }

// RoundTrip passes on the answer's first bytes.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, mostBytes)
	}
	return response, err
}
