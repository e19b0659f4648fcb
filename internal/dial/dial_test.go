package dial

import (
	"context"
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a name leads to is judged each time that it is asked, whoever named it.
func TestWhereANameMayLead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		host             string
		answers          []string
		strangers, named error // nil: dialled
	}{
		{"relay.example.com", []string{"93.184.215.14", "2606:4700::1111"}, nil, nil},
		{"relay.example.com", []string{"10.0.0.7"}, ErrForbidden, nil},
		{"relay.example.com", []string{"192.168.1.2", "fd12::7", "::ffff:172.16.0.9", "100.64.3.4"}, ErrForbidden, nil},
		{"relay.example.com", []string{"93.184.215.14", "10.0.0.7"}, ErrForbidden, ErrForbidden},
		{"relay.example.com", []string{"127.0.0.1"}, ErrForbidden, ErrForbidden},
		{"relay.example.com", []string{"::1"}, ErrForbidden, ErrForbidden},
		{"relay.example.com", []string{"::ffff:127.0.0.1"}, ErrForbidden, ErrForbidden},
		{"relay.example.com", nil, ErrNotFound, ErrNotFound},
		{"localhost", []string{"127.0.0.1", "::1"}, ErrForbidden, nil},
		{"127.0.0.1", nil, ErrForbidden, nil},
		{"10.0.0.7", nil, ErrForbidden, nil},
		{"169.254.169.254", nil, ErrForbidden, ErrForbidden},
		{"metadata.google.internal", []string{"169.254.169.254"}, ErrForbidden, ErrForbidden},
		{"relay.example.com", []string{"fe80::1"}, ErrForbidden, ErrForbidden},
		{"relay.example.com", []string{"fe80::1%eth0"}, ErrForbidden, ErrForbidden},
		{"relay.example.com", []string{"fd00:ec2::254"}, ErrForbidden, ErrForbidden},
		{"relay.example.com", []string{"100.100.100.200"}, ErrForbidden, ErrForbidden},
		{"relay.example.com", []string{"168.63.129.16"}, ErrForbidden, ErrForbidden},
		{"relay.example.com", []string{"0.0.0.0"}, ErrForbidden, ErrForbidden},
		{"relay.example.com", []string{"::"}, ErrForbidden, ErrForbidden},
		{"relay.example.com", []string{"224.0.0.1"}, ErrForbidden, ErrForbidden},
		{"relay.example.com", []string{"255.255.255.255"}, ErrForbidden, ErrForbidden},
		{"relay.example.com", []string{"64:ff9b::a9fe:a9fe"}, ErrForbidden, ErrForbidden},
		{"relay.example.com", []string{"2002:a9fe:a9fe::"}, ErrForbidden, ErrForbidden},
	} {
		answers := func(context.Context, string) (found []netip.Addr, err error) {
			for _, text := range c.answers {
				found = append(found, netip.MustParseAddr(text))
			}
			return found, nil
		}
		_, err := (&Dialer{Resolve: answers}).addresses(t.Context(), c.host, false)
		require.ErrorIs(t, err, c.strangers, "%s %s", c.host, c.answers)
		_, err = (&Dialer{Resolve: answers}).addresses(t.Context(), c.host, true)
		require.ErrorIs(t, err, c.named, "%s %s, named", c.host, c.answers)
	}
}

// A name that somebody takes over after the till has begun to use it.
func TestANameThatTurnsInwards(t *testing.T) {
	t.Parallel()
	answer := "93.184.215.14"
	d := &Dialer{Named: Anything, Resolve: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr(answer)}, nil
	}}
	_, err := d.addresses(t.Context(), "relay.example.com", true)
	require.NoError(t, err)
	for _, answer = range []string{"10.0.0.7", "fd12::7"} {
		_, err = d.DialContext(t.Context(), "tcp", "relay.example.com:443")
		require.ErrorIs(t, err, ErrMoved)
	}
	answer = "93.184.215.99"
	_, err = d.addresses(t.Context(), "relay.example.com", true)
	require.NoError(t, err, "to another public address it may move")
}

// What was checked is what is dialled: the system would say of localhost that it is elsewhere.
func TestANameIsAskedOnce(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, listener.Close()) })
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	asked := 0
	d := &Dialer{Named: Anything, Resolve: func(context.Context, string) ([]netip.Addr, error) {
		asked++
		return []netip.Addr{netip.MustParseAddr("127.0.0.2")}, nil
	}}
	conn, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort("localhost", port))
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	require.Equal(t, 1, asked)
	_, err = d.DialContext(t.Context(), "tcp", "nowhere")
	require.Error(t, err)
}
