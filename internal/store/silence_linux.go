package store

import (
	"errors"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// endSilence has a connection end that is answered nothing for silentFor, not even by the other machine's network.
// Linux tries for a quarter of an hour, in which neither beats nor jobs got any further.
func endSilence(network, _ string, conn syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var refused error
	err := conn.Control(func(fd uintptr) {
		refused = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silentFor.Milliseconds()))
	})
	return errors.Join(err, refused)
}
