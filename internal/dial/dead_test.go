//go:build linux

package dial

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// silence makes nobody answer at a port of an address: its queue is full, so what knocks is dropped.
func silence(t *testing.T, address string, port int) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Close(fd)) })
	at := &syscall.SockaddrInet4{Port: port, Addr: netip.MustParseAddr(address).As4()}
	require.NoError(t, syscall.Bind(fd, at))
	require.NoError(t, syscall.Listen(fd, 0))
	for range 8 {
		conn, err := net.DialTimeout("tcp", net.JoinHostPort(address, strconv.Itoa(port)), 100*time.Millisecond)
		if err != nil {
			return
		}
		t.Cleanup(func() { require.NoError(t, conn.Close()) })
	}
	t.Fatal("the queue is never full")
}

// Of a host with two addresses one is down, or leads through a network that drops all: the other one answers.
func TestADeadAddressLeavesTimeForTheNext(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, listener.Close()) })
	port := listener.Addr().(*net.TCPAddr).Port
	silence(t, "127.0.0.2", port)
	d := &Dialer{Named: Anything, Resolve: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.1")}, nil
	}}
	transport := &http.Transport{DialContext: d.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	go func() { _ = http.Serve(listener, http.NotFoundHandler()) }()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // as for the keys of webhooks
	defer cancel()
	url := "http://" + net.JoinHostPort("localhost", strconv.Itoa(port))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(t, err)
	response, err := transport.RoundTrip(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
}
