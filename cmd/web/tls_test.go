package main

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/app"
	"airtill/web/frame"
)

const tillName = "till.example.com"

// signed is a certificate for a public key, by itself or by another's.
func signed(t testing.TB, serial int64, public any, parent *x509.Certificate, key crypto.Signer) []byte {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: tillName}, DNSNames: []string{tillName},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(90 * 24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, BasicConstraintsValid: true, IsCA: parent == nil,
	}
	if parent == nil {
		parent = template
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	require.NoError(t, err)
	return der
}

// writeCertificate writes a pair of files, with a serial number to tell them apart.
func writeCertificate(t *testing.T, dir string, serial int64) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(secret)
	require.NoError(t, err)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	body := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed(t, serial, secret.Public(), nil, secret)})
	require.NoError(t, os.WriteFile(cert, body, 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
	return cert, key
}

// served is a handler behind the till's own TLS, and the address of it and of what
// sends browsers there.
func served(t *testing.T, c app.Config) (secure, plain string) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	plain = free.Addr().String()
	require.NoError(t, free.Close())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c.PublicURL, c.TLSRedirectAddr = "https://"+tillName, plain
	log := slog.New(slog.DiscardHandler)
	server := frame.NewHTTPServer("", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }), log)
	_, err = serveHTTP(t.Context(), c, log, server, listener)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return listener.Addr().String(), plain
}

// shake begins TLS and returns what was agreed on.
func shake(address string, config *tls.Config) (tls.ConnectionState, error) {
	config.ServerName, config.InsecureSkipVerify = tillName, true
	conn, err := tls.Dial("tcp", address, config)
	if err != nil {
		return tls.ConnectionState{}, err
	}
	defer conn.Close()
	return conn.ConnectionState(), nil
}

func TestTheTillSpeaksTLSItself(t *testing.T) {
	t.Parallel()
	cert, key := writeCertificate(t, t.TempDir(), 1)
	secure, plain := served(t, app.Config{TLSCertFile: cert, TLSKeyFile: key})
	state, err := shake(secure, &tls.Config{NextProtos: []string{"h2", "http/1.1"}})
	require.NoError(t, err)
	require.Equal(t, "h2", state.NegotiatedProtocol)
	require.EqualValues(t, tls.VersionTLS13, state.Version)
	_, err = shake(secure, &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11})
	require.Error(t, err, "broken versions")
	_, err = shake(secure, &tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA}})
	require.Error(t, err, "broken suites")

	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+plain+"/sales/1?a=b", nil)
	require.NoError(t, err)
	request.Host = "evil.example"
	answer, err := client.Do(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusPermanentRedirect, answer.StatusCode)
	require.Equal(t, "https://"+tillName+"/sales/1?a=b", answer.Header.Get("Location"))
	answer, err = client.Post("http://"+plain+"/login", "text/plain", strings.NewReader("password"))
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusForbidden, answer.StatusCode, "what came in clear is not sent on")
}

func TestARenewedCertificateIsReadWithoutARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := writeCertificate(t, dir, 1)
	var log bytes.Buffer
	files := &certificateFiles{cert: cert, key: key, log: slog.New(slog.NewTextHandler(&log, nil))}
	serial := func() int64 {
		files.lookedAt = time.Time{} // as if it had been long ago
		pair, err := files.get(nil)
		require.NoError(t, err)
		return pair.Leaf.SerialNumber.Int64()
	}
	require.EqualValues(t, 1, serial())
	require.NoError(t, os.WriteFile(cert, []byte("half of it"), 0o600))
	require.NoError(t, os.Chtimes(cert, time.Time{}, time.Now().Add(time.Minute)))
	require.EqualValues(t, 1, serial(), "in the middle of a renewal")
	require.Contains(t, log.String(), "tls.certificate_not_read")
	writeCertificate(t, dir, 2)
	require.NoError(t, os.Chtimes(cert, time.Time{}, time.Now().Add(2*time.Minute)))
	require.EqualValues(t, 2, serial())
}

func TestTLSThatCannotWorkIsRefused(t *testing.T) {
	t.Parallel()
	cert, key := writeCertificate(t, t.TempDir(), 1)
	open := filepath.Join(t.TempDir(), "key.pem")
	body, err := os.ReadFile(key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(open, body, 0o600))
	require.NoError(t, os.Chmod(open, 0o644))
	for _, c := range []struct {
		change map[string]string
		want   string
	}{
		{map[string]string{"TLS_CERT_FILE": cert, "TLS_KEY_FILE": key}, ""},
		{map[string]string{"TLS_ACME_CACHE": "/data/acme", "TLS_REDIRECT_ADDR": ":80"}, ""},
		{map[string]string{"TLS_CERT_FILE": cert}, "belong together"},
		{map[string]string{"TLS_CERT_FILE": cert, "TLS_KEY_FILE": open}, "others may read TLS_KEY_FILE"},
		{map[string]string{"TLS_CERT_FILE": cert, "TLS_KEY_FILE": cert + "x"}, "no such file"},
		{map[string]string{"TLS_CERT_FILE": cert, "TLS_KEY_FILE": key, "PUBLIC_URL": "https://other.example.com"}, "not other.example.com"},
		{map[string]string{"TLS_CERT_FILE": cert, "TLS_KEY_FILE": key, "PUBLIC_URL": "http://127.0.0.1:1"}, "must begin with https://"},
		{map[string]string{"TLS_CERT_FILE": cert, "TLS_KEY_FILE": key, "TLS_ACME_CACHE": "x"}, "remove one"},
		{map[string]string{"TLS_REDIRECT_ADDR": ":80"}, "needs TLS_CERT_FILE or TLS_ACME_CACHE"},
		{map[string]string{"TLS_ACME_CACHE": "x", "PUBLIC_URL": "https://192.0.2.1"}, "a name that the authority can look up"},
		{map[string]string{"TLS_ACME_CACHE": "x", "TLS_ACME_DIRECTORY": "http://ca.example.com"}, "TLS_ACME_DIRECTORY"},
	} {
		env := production()
		for name, value := range c.change {
			env[name] = value
		}
		config, err := readConfig(env)
		require.NoError(t, err)
		if err = config.checkServe(); c.want == "" {
			require.NoError(t, err, c.change)
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
}

// A certificate is asked for at the first visit, the authority's question answered over
// plain HTTP, and what came is stored where nobody else looks. No other name is asked for.
func TestACertificateIsAskedFor(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	cache := filepath.Join(t.TempDir(), "acme")
	secure, plain := served(t, app.Config{TLSACMECache: cache, TLSACMEDirectory: authority.URL + "/directory"})
	authority.asks = "http://" + plain
	state, err := shake(secure, &tls.Config{})
	require.NoError(t, err)
	require.Equal(t, []string{tillName}, state.PeerCertificates[0].DNSNames)
	require.EqualValues(t, 7, state.PeerCertificates[0].SerialNumber.Int64())
	require.True(t, authority.answered)
	about, err := os.Stat(cache)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), about.Mode().Perm())
	stored, err := os.Stat(filepath.Join(cache, tillName))
	require.NoError(t, err)
	require.Zero(t, stored.Mode().Perm()&0o077)

	config := &tls.Config{InsecureSkipVerify: true, ServerName: "evil.example.com"}
	_, err = tls.Dial("tcp", secure, config)
	require.Error(t, err)
	require.Equal(t, 1, authority.orders)

	require.NoError(t, os.Chmod(cache, 0o755))
	_, err = newTLS(app.Config{TLSACMECache: cache, PublicURL: "https://" + tillName}, nil)
	require.ErrorContains(t, err, "others may look into")
}
