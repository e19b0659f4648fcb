package store

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestAConnectionThatNobodyAnswersEnds: if the machine of the database is gone, as from one moment to the next, nothing
// waits longer for it than for one that hangs up.
func TestAConnectionThatNobodyAnswersEnds(t *testing.T) {
	t.Parallel()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer server.Close()
	config, err := postgresConfig("postgres://till@" + server.Addr().String() + "/till")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	conn, err := config.ConnConfig.DialFunc(ctx, "tcp", server.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	require.NoError(t, err)
	var ms int
	var unreadable error
	require.NoError(t, raw.Control(func(fd uintptr) {
		ms, unreadable = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT)
	}))
	require.NoError(t, unreadable)
	require.EqualValues(t, silentFor.Milliseconds(), ms)
}
