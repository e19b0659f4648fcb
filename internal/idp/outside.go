package idp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"airtill/internal/dial"
)

const (
	answersWithin = 10 * time.Second
	mostBytes     = 1 << 20 // of one answer
)

// config asks the provider where its parts are, once it has answered never again.
func (p *Provider) config(ctx context.Context) (*oauth2.Config, *oidc.Provider, error) {
	p.mu.Lock()
	known := p.known
	p.mu.Unlock()
	if known == nil {
		var err error
		if known, err = p.discover(ctx); err != nil {
			return nil, nil, away(err)
		}
		p.mu.Lock()
		p.known = known
		p.mu.Unlock()
	}
	return &oauth2.Config{
		ClientID: p.d.ClientID, ClientSecret: p.d.ClientSecret, Endpoint: known.Endpoint(), RedirectURL: p.d.Redirect,
		Scopes: append([]string{oidc.ScopeOpenID}, p.d.Scopes...),
	}, known, nil
}

// discover refuses parts that are less protected than the provider's own address.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	known, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.d.Issuer)
	if err != nil {
		return nil, err
	}
	var parts struct {
		Keys string `json:"jwks_uri"`
	}
	if err := known.Claims(&parts); err != nil {
		return nil, err
	}
	own, err := url.Parse(p.d.Issuer)
	if err != nil {
		return nil, err
	}
	for _, part := range []string{known.Endpoint().AuthURL, known.Endpoint().TokenURL, parts.Keys} {
		u, err := url.Parse(part)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != own.Scheme {
			return nil, errors.New("the provider names an address without TLS")
		}
	}
	return known, nil
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
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, mostBytes), response.Body}
	}
	return response, err
}
