package apiclient

import (
	"context"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// SetSendDeadline changes the time a SendTransfer may take and returns what it
// was.
func (c *Client) SetSendDeadline(d time.Duration) (before time.Duration) {
	before, c.sendDeadline = c.sendDeadline, d
	return before
}

// SetDial changes how connections are made.
func (c *Client) SetDial(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	c.transport.DialContext = dial
}

// Trust has certificates of these authorities believed.
func (c *Client) Trust(authorities *x509.CertPool) {
	c.transport.TLSClientConfig = &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}
}

// SetProxy leads through a proxy.
func (c *Client) SetProxy(proxy func(*http.Request) (*url.URL, error)) { c.transport.Proxy = proxy }

// RetryAfter, BudgetLimits and BudgetWindow show the tests what is unexported.
var (
	RetryAfter   = retryAfter
	BudgetLimits = budgetLimits
)

const (
	BudgetWindow = budgetWindow
	SendLimit    = sendLimit
)

// RedisKey returns the key under which a credential's budget lies.
func RedisKey(credential string) string { return NewRedisBudget(nil, credential, nil, nil).key }

// Patient makes a budget wait for Redis however much else the machine does, and returns it.
func (b *RedisBudget) Patient() *RedisBudget {
	b.patience = time.Minute
	return b
}

// TokenAge returns the age of the access token by the client's clock.
func (c *Client) TokenAge() float64 { return c.tokens.age() }

// Whole is what an answer is read through.
func Whole(from io.Reader) io.Reader { return whole{from} }

// Decode reads an answer as exchange does.
func Decode(body string, out reply) error {
	return decodeEnvelope(strings.NewReader(body), out)
}

// SetKey gives the cache a key as if it had just been fetched.
func SetKey(k *WebhookKeys, id string, key *rsa.PublicKey) {
	k.keys, k.fetched, k.asked = map[string]*rsa.PublicKey{id: key}, k.now(), k.now()
}

// Speaks says which versions of HTTP the client's connections may speak.
func (c *Client) Speaks() string { return c.transport.Protocols.String() }
