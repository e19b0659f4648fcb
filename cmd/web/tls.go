package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"airtill/internal/app"
	"airtill/web/frame"
)

// ownTLS is TLS without a proxy: with a certificate from files, or from an authority.
type ownTLS struct {
	config    *tls.Config
	challenge func(http.Handler) http.Handler // the authority's, over plain HTTP
}

// certificateLookedAt is how often to look for a renewed certificate.
const certificateLookedAt = 10 * time.Second

// newTLS returns nil where a proxy does TLS.
func newTLS(c app.Config, log *slog.Logger) (*ownTLS, error) {
	switch {
	case c.TLSCertFile != "":
		files := &certificateFiles{cert: c.TLSCertFile, key: c.TLSKeyFile, log: log}
		if err := files.load(); err != nil {
			return nil, err
		}
		config := &tls.Config{GetCertificate: files.get, NextProtos: []string{"h2", "http/1.1"}}
		return &ownTLS{modern(config), func(h http.Handler) http.Handler { return h }}, nil
	case c.TLSACMECache != "":
		public, err := url.Parse(c.PublicURL)
		if err == nil {
			err = privateDir(c.TLSACMECache)
		}
		if err != nil {
			return nil, err
		}
		manager := &autocert.Manager{
			Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(c.TLSACMECache),
			HostPolicy: autocert.HostWhitelist(public.Hostname()),
			Client:     &acme.Client{DirectoryURL: c.TLSACMEDirectory},
		}
		return &ownTLS{modern(manager.TLSConfig()), manager.HTTPHandler}, nil
	}
	return nil, nil //nolint:nilnil // a proxy does
}

// modern excludes what is broken: versions below TLS 1.2, and suites without forward secrecy or
// authentication.
func modern(config *tls.Config) *tls.Config {
	config.MinVersion = tls.VersionTLS12
	config.CipherSuites = []uint16{
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
		tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
		tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
	}
	return config
}

// privateDir makes a directory that others cannot read.
func privateDir(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("TLS_ACME_CACHE: %w", err)
	}
	about, err := os.Stat(path)
	if err == nil && about.Mode().Perm()&0o077 != 0 {
		err = fmt.Errorf("others may look into %s, where keys are stored; run: chmod 700 %s", path, path)
	}
	return err
}

// certificateFiles are read again once renewed.
type certificateFiles struct {
	cert, key string
	log       *slog.Logger

	mu       sync.Mutex
	pair     *tls.Certificate
	readFrom [2]time.Time // when those files were written
	lookedAt time.Time
}

func (f *certificateFiles) written() (at [2]time.Time, err error) {
	for i, path := range []string{f.cert, f.key} {
		about, err := os.Stat(path)
		if err != nil {
			return at, err
		}
		at[i] = about.ModTime()
	}
	return at, nil
}

// load reads the files if they have changed.
func (f *certificateFiles) load() error {
	at, err := f.written()
	if err != nil || at == f.readFrom {
		return err
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return err
	}
	f.pair, f.readFrom = &pair, at
	return nil
}

// get is called at each handshake. If the files cannot be read, as in the middle of a renewal, the old
// certificate stays.
func (f *certificateFiles) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if at := now(); at.Sub(f.lookedAt) >= certificateLookedAt {
		f.lookedAt = at
		if err := f.load(); err != nil {
			f.log.Error("tls.certificate_not_read", "error", err)
		}
	}
	return f.pair, nil
}

// serveHTTP serves pages on a listener, over the till's own TLS if it has any, and redirects browsers that
// come without it. It returns the channel of the error that ends it.
func serveHTTP(
	ctx context.Context, c app.Config, log *slog.Logger, server *http.Server, listener net.Listener,
) (ended chan error, err error) {
	own, err := newTLS(c, log)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	ended = make(chan error, 2)
	if own == nil {
		go func() { ended <- server.Serve(listener) }()
		return ended, nil
	}
	if c.TLSRedirectAddr != "" {
		plain, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.TLSRedirectAddr)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("listen for TLS_REDIRECT_ADDR: %w", err), listener.Close())
		}
		redirect := frame.NewHTTPServer(c.TLSRedirectAddr, own.challenge(redirectTo(c.PublicURL)), log)
		server.RegisterOnShutdown(func() { _ = redirect.Close() }) // nobody waits for it
		go func() {
			if err := redirect.Serve(plain); !errors.Is(err, http.ErrServerClosed) {
				ended <- err
			}
		}()
	}
	server.TLSConfig = own.config
	go func() { ended <- server.ServeTLS(listener, "", "") }()
	return ended, nil
}

// redirectTo redirects page requests to the public address, as configured, not as any header says. A form sent
// in clear is not redirected.
func redirectTo(public string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to, err := url.Parse(public)
		if err != nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "This till is reached over https only.", http.StatusForbidden)
			return
		}
		to.Path, to.RawQuery = r.URL.Path, r.URL.RawQuery
		http.Redirect(w, r, to.String(), http.StatusPermanentRedirect)
	})
}
