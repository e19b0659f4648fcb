package logo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"
)

const (
	fetchWithin = 3 * time.Second
	mostBytes   = 512 << 10
	mostHops    = 3
)

// newClient returns a client for the hosts that check allows, at addresses it has verified itself.
func (l *Logos) newClient() *http.Client {
	if l.d.Resolve == nil {
		l.d.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	return &http.Client{
		Timeout: fetchWithin,
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would resolve the name itself
			DialContext:            l.dial,
			TLSHandshakeTimeout:    fetchWithin,
			ResponseHeaderTimeout:  fetchWithin,
			MaxResponseHeaderBytes: 16 << 10,
			DisableKeepAlives:      true,
			DisableCompression:     true, // a small answer could unpack into a huge one
		},
		CheckRedirect: l.follow,
	}
}

// follow stays on the same host.
func (l *Logos) follow(request *http.Request, via []*http.Request) error {
	first := via[0].URL
	if len(via) > mostHops || request.URL.Host != first.Host || request.URL.Scheme != first.Scheme {
		return errors.New("the address leads elsewhere")
	}
	return l.check(request.URL.String())
}

// dial resolves a host, checks the addresses and connects to just those: resolving again could give another
// answer.
func (l *Logos) dial(ctx context.Context, _, hostPort string) (net.Conn, error) {
	if l.d.Simulator != "" && hostPort == l.d.Simulator {
		return new(net.Dialer).DialContext(ctx, "tcp", hostPort)
	}
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, errAddress
	}
	found, err := l.public(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, ip := range found {
		var conn net.Conn
		conn, err = new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(ip.String(), port))
		if err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// fetch returns the logo at an address, drawn anew.
func (l *Logos) fetch(ctx context.Context, address string) ([]byte, error) {
	if err := l.check(address); err != nil {
		return nil, err
	}
	address, err := sized(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errAddress
	}
	request.Header.Set("Accept", "image/png, image/jpeg, image/gif")
	response, err := l.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("fetch logo: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Encoding") != "" {
		return nil, fmt.Errorf("fetch logo: HTTP %d", response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, mostBytes+1))
	if err != nil {
		return nil, fmt.Errorf("fetch logo: %w", err)
	}
	if len(body) > mostBytes {
		return nil, errors.New("fetch logo: it is too large")
	}
	return redraw(body)
}
