package alert

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"airtill/internal/dial"
)

// CheckWebhook connects to where a webhook's messages go, the proxy if one is set, with TLS where the address has it.
// It posts nothing. The error holds no part of the address but its host.
func CheckWebhook(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("ALERT_WEBHOOK_URL cannot be read") // the cause would print it
	}
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u})
	if err != nil {
		return errors.New("the proxy that the environment names cannot be read; look at HTTPS_PROXY")
	}
	names := "ALERT_WEBHOOK_URL"
	if proxy != nil {
		u, names = proxy, "HTTPS_PROXY"
	}
	ctx, cancel := context.WithTimeout(ctx, webhookWithin)
	defer cancel()
	if err := reach(ctx, u); err != nil {
		return fmt.Errorf("%w; %s must name a host that answers and that this machine may reach", err, names)
	}
	return nil
}

func reach(ctx context.Context, u *url.URL) error {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	dialer := dial.Dialer{Named: dial.Anything}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return err
	}
	if u.Scheme == "https" {
		config := &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}
		err = tls.Client(conn, config).HandshakeContext(ctx)
	}
	return errors.Join(err, conn.Close())
}
