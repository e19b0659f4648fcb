package logo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"airtill/internal/dial"
)

const (
	fetchWithin = 3 * time.Second
	mostBytes   = 512 << 10
	mostHops    = 3
)

// newClient returns a client for the hosts that check allows, at addresses it has verified itself.
func (l *Logos) newClient() *http.Client {
	dialer := dial.Dialer{Resolve: l.d.Resolve, Named: func(hostPort string) bool { return hostPort == l.d.Simulator }}
	return &http.Client{
		Timeout: fetchWithin,
		Transport: &http.Transport{
			Proxy:                  nil, // a proxy would resolve the name itself
			DialContext:            dialer.DialContext,
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

// fetch returns the logo at an address, drawn anew.
func (l *Logos) fetch(ctx context.Context, address string) ([]byte, error) {
	if err := l.check(address); err != nil {
		return nil, err
	}
	address, err := sized(address)
	if err != nil {
		return nil, err
	}
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
