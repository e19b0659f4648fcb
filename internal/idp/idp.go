// Package idp asks an organisation's identity provider who somebody is, by OpenID Connect:
// the code flow with PKCE, a state and a nonce.
package idp

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"airtill/internal/dial"
	"airtill/internal/fault"
)

// Deps is what the operator says of the provider.
type Deps struct {
	Issuer, ClientID, ClientSecret string
	Redirect                       string   // where the provider sends browsers back to
	Scopes                         []string // beside openid
	GroupClaim                     string   // names somebody's groups
	ShopClaim                      string   // names their shop; "": none does
	Second                         []string // of amr and acr: what says that a second factor was given
	Now                            func() time.Time
	Resolve                        dial.Resolve // nil: the system's
}

// Provider is the identity provider.
type Provider struct {
	d      Deps
	host   string // with its port
	client *http.Client
	known  atomic.Pointer[known] // once it has said where its parts are
}

// known is where a provider's parts are, as it has said.
type known struct {
	*oidc.Provider

	at time.Time
}

// knownFor is how long that counts: a provider may move its parts while the till runs.
const knownFor = time.Hour

// Asked is what the provider's answer is held against; it must not leave the till but for
// what Begin puts into the address.
type Asked struct{ State, Nonce, Verifier string }

// Person is who the provider says that somebody is.
type Person struct {
	Issuer, Subject string // together they name them for good
	Username, Name  string
	Email           string // "" if it does not say; nobody has checked it here
	Groups          []string
	Shop            string // "" if it does not say
	Second          bool   // they gave a second factor
}

// freshWithin is how old a sign-in at the provider may be. Many people share the browser of a
// till: the one before must not be signed in by a press.
const freshWithin = 5 * time.Minute

// longestSubject is what the protocol allows, in bytes.
const longestSubject = 255

// algorithms are those of a key that the till need not keep secret.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512,
	oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// ErrRefused is returned for an answer that proves nothing.
var ErrRefused = fault.New(fault.Forbidden, "sso.refused")

// New returns a provider that has not been asked yet.
func New(d Deps) (*Provider, error) {
	u, err := dial.Secretless(d.Issuer, "https", "http")
	if err != nil {
		return nil, fmt.Errorf("identity provider: %w", err)
	}
	p := &Provider{d: d, host: u.Host}
	if u.Port() == "" {
		p.host = net.JoinHostPort(u.Hostname(), map[string]string{"https": "443", "http": "80"}[u.Scheme])
	}
	p.client = p.newClient()
	return p, nil
}

// Issuer is the provider's address, by which it is named.
func (p *Provider) Issuer() string { return p.d.Issuer }

// Begin returns where a browser is sent, and what to hold its answer against.
func (p *Provider) Begin(ctx context.Context) (address string, asked Asked, err error) {
	config, _, err := p.config(ctx)
	if err != nil {
		return "", Asked{}, err
	}
	asked = Asked{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
	return config.AuthCodeURL(asked.State,
		oidc.Nonce(asked.Nonce), oauth2.S256ChallengeOption(asked.Verifier), oauth2.SetAuthURLParam("prompt", "login"),
	), asked, nil
}

// Finish returns who somebody is for the code that their browser brought. An answer that proves
// nothing is ErrRefused, and why; a provider that is away is fault.Unavailable.
func (p *Provider) Finish(ctx context.Context, asked Asked, state, code string) (Person, error) {
	if asked.State == "" || subtle.ConstantTimeCompare([]byte(state), []byte(asked.State)) != 1 {
		return Person{}, refused(errors.New("the state is another"))
	}
	config, known, err := p.config(ctx)
	if err != nil {
		return Person{}, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	tokens, err := config.Exchange(ctx, code, oauth2.VerifierOption(asked.Verifier))
	var answered *oauth2.RetrieveError
	switch {
	case errors.As(err, &answered) && !busy(answered.Response.StatusCode):
		return Person{}, refused(errors.New("the provider refuses the code: " + answered.ErrorCode))
	case err != nil:
		return Person{}, away(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	return p.verify(ctx, known, asked, raw)
}

func (p *Provider) verify(ctx context.Context, known *oidc.Provider, asked Asked, raw string) (Person, error) {
	keys, err := keysOf(ctx, known)
	if err != nil {
		return Person{}, away(err)
	}
	token, err := oidc.NewVerifier(p.d.Issuer, keys, &oidc.Config{
		ClientID: p.d.ClientID, SupportedSigningAlgs: algorithms, Now: p.d.Now,
	}).Verify(ctx, raw)
	switch {
	case keys.unread != nil:
		return Person{}, away(keys.unread)
	case err != nil:
		return Person{}, refused(err)
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(asked.Nonce)) != 1 {
		return Person{}, refused(errors.New("the nonce is another"))
	}
	if len(token.Subject) > longestSubject || strings.ContainsFunc(token.Subject, unprintable) {
		return Person{}, refused(errors.New("the subject is too long or cannot be printed"))
	}
	var all map[string]any
	var since struct {
		AuthTime json.Number `json:"auth_time"` // some write it as text or with a fraction, as other times of a token
	}
	if err := errors.Join(token.Claims(&all), token.Claims(&since)); err != nil {
		return Person{}, refused(err)
	}
	if party, _ := all["azp"].(string); party != p.d.ClientID && (party != "" || len(token.Audience) > 1) {
		return Person{}, refused(errors.New("the token is for another party"))
	}
	if since.AuthTime != "" {
		seconds, err := since.AuthTime.Float64()
		if err != nil || p.d.Now().Sub(time.Unix(int64(seconds), 0)) > freshWithin {
			return Person{}, refused(errors.New("the sign-in at the provider is too old"))
		}
	}
	return p.person(token, all), nil
}

func (p *Provider) person(token *oidc.IDToken, all map[string]any) Person {
	text := func(claim string) string { s, _ := all[claim].(string); return s }
	person := Person{
		Issuer: token.Issuer, Subject: token.Subject, Name: text("name"), Email: text("email"),
		Groups: texts(all[p.d.GroupClaim]),
	}
	for _, claim := range []string{"preferred_username", "email", "sub"} {
		if person.Username == "" {
			person.Username = text(claim)
		}
	}
	if p.d.ShopClaim != "" {
		person.Shop = text(p.d.ShopClaim)
	}
	person.Second = slices.ContainsFunc(append(texts(all["amr"]), text("acr")), func(way string) bool {
		return way != "" && slices.Contains(p.d.Second, way)
	})
	return person
}

// texts reads a claim that is one text or many.
func texts(claim any) (all []string) {
	many, _ := claim.([]any)
	if one, single := claim.(string); single {
		many = []any{one}
	}
	for _, each := range many {
		if s, ok := each.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

func refused(why error) error { return fmt.Errorf("%w: %w", ErrRefused, why) }

func away(why error) error { return fault.Wrap(why, fault.Unavailable, "sso.away") }
