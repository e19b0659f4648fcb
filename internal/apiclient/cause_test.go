package apiclient_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
)

// certificateOf is one that its own key vouches for.
func certificateOf(t *testing.T, name string, from, to time.Time) (pair tls.Certificate, authority *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "pin-4711"}, DNSNames: []string{name},
		NotBefore: from, NotAfter: to, IsCA: true, BasicConstraintsValid: true,
	}
	encoded, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	require.NoError(t, err)
	authority, err = x509.ParseCertificate(encoded)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{encoded}, PrivateKey: key}, authority
}

// newSecured is a service with a certificate for localhost, at its address by that name.
func newSecured(t *testing.T, pair tls.Certificate) (address string, reached *[]string) {
	t.Helper()
	reached = new([]string)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		*reached = append(*reached, r.URL.Path)
	}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return strings.Replace(s.URL, "127.0.0.1", "localhost", 1), reached
}

func requireUnsentFor(t *testing.T, client *apiclient.Client, cause string) {
	t.Helper()
	_, err := client.SendTransfer(t.Context(), realSend(), permitted(newClock()))
	require.ErrorIs(t, err, apiclient.ErrNotSent)
	require.ErrorContains(t, err, cause)
	requireSilent(t, err)
}

// A service that is not who it should be gets nothing, and the error says what to do.
func TestAWrongCertificateIsNamed(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for cause, c := range map[string]struct {
		name     string
		from, to time.Time
		trusted  bool
	}{
		"has ended or not begun; or the clock": {"localhost", now.Add(-48 * time.Hour), now.Add(-24 * time.Hour), true},
		"the clock of this machine is wrong":   {"localhost", now.Add(24 * time.Hour), now.Add(48 * time.Hour), true},
		"for another name":                     {"example.com", now.Add(-time.Hour), now.Add(time.Hour), true},
		"SSL_CERT_FILE":                        {"localhost", now.Add(-time.Hour), now.Add(time.Hour), false},
	} {
		t.Run(cause, func(t *testing.T) {
			t.Parallel()
			pair, authority := certificateOf(t, c.name, c.from, c.to)
			address, reached := newSecured(t, pair)
			client := newClient(t, address)
			trusted := x509.NewCertPool()
			if c.trusted {
				trusted.AddCert(authority)
			}
			client.Trust(trusted)
			requireUnsentFor(t, client, cause)
			require.Empty(t, *reached)
		})
	}
	requireUnsentFor(t, newClient(t, strings.Replace(newService(t, says(200, "")).URL, "http:", "https:", 1)),
		"does not speak TLS")
}

// A connection that cannot be made says where it ends.
func TestAHostOutOfReachIsNamed(t *testing.T) {
	t.Parallel()
	requireUnsentFor(t, newClient(t, "http://no-such-host.invalid"), "dial failure on the way: the host was not found")
	requireUnsentFor(t, newClient(t, "http://"+unused(t)), "dial failure on the way: nothing listens at that address")

	keys, err := apiclient.NewWebhookKeys(apiclient.WebhookKeysDeps{
		AuthURL: "http://no-such-host.invalid", Now: time.Now,
	})
	require.NoError(t, err)
	defer keys.Close()
	_, err = keys.Refresh(t.Context())
	require.ErrorContains(t, err, "dial failure on the way: the host was not found")
}

// unused is an address at which nothing listens.
func unused(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}

// A proxy that leads nowhere is named, and nothing goes past it.
func TestAProxyInTheWayIsNamed(t *testing.T) {
	t.Parallel()
	service := newService(t, says(200, completeAnswer))
	refusing := newService(t, says(http.StatusProxyAuthRequired, "pin-4711"))
	for cause, proxy := range map[string]string{
		"proxy failure on the way: the proxy that HTTPS_PROXY names refused with HTTP 407": refusing.URL,
		"proxy failure on the way: the proxy that HTTPS_PROXY names cannot be reached":     "http://" + unused(t),
	} {
		client := newClient(t, strings.Replace(service.URL, "http:", "https:", 1))
		by, err := url.Parse(proxy)
		require.NoError(t, err)
		client.SetProxy(http.ProxyURL(by))
		requireUnsentFor(t, client, cause)
	}
	require.Empty(t, service.got())
}

// A send through a proxy is one send, whose body the proxy does not see.
func TestASendThroughAProxyIsOne(t *testing.T) {
	t.Parallel()
	pair, authority := certificateOf(t, "localhost", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	posts := make(chan string, 9)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			posts <- string(body)
		}
		says(200, completeAnswer)(w, r)
	}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	s.StartTLS()
	t.Cleanup(s.Close)
	led := make(chan string, 9)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		led <- r.Method + " " + r.Host
		there, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			return
		}
		w.WriteHeader(http.StatusOK)
		here, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		go func() { _, _ = io.Copy(there, here); _ = there.Close() }()
		_, _ = io.Copy(here, there)
		_ = here.Close()
	}))
	t.Cleanup(proxy.Close)

	client := newClient(t, "https://localhost:1")
	trusted := x509.NewCertPool()
	trusted.AddCert(authority)
	client.Trust(trusted)
	by, err := url.Parse(proxy.URL)
	require.NoError(t, err)
	client.SetProxy(http.ProxyURL(by))
	got, err := client.SendTransfer(t.Context(), realSend(), permitted(newClock()))
	require.NoError(t, err)
	require.Equal(t, apiclient.StateComplete, got.TransferRecord.ProcessingState)
	require.Equal(t, "CONNECT localhost:1", <-led)
	require.Contains(t, <-posts, "353870000000")
	client.Close()
	require.Empty(t, led)
	require.Empty(t, posts)
}
