package dial_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"airtill/internal/dial"
)

func TestOnlyPublicAddressesAreDialled(t *testing.T) {
	t.Parallel()
	for _, inside := range []string{
		"127.0.0.1", "127.255.255.254", "10.1.2.3", "172.31.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "100.127.255.255", "0.0.0.0", "0.1.2.3",
		"192.0.0.8", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::7f00:1", "::ffff:8.8.8.8", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd00:ec2::254",
		"ff02::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "5f00::1",
	} {
		require.False(t, dial.Public(netip.MustParseAddr(inside)), inside)
	}
	for _, outside := range []string{"8.8.8.8", "93.184.215.14", "2606:4700::1111", "2a00:1450:4001::1"} {
		require.True(t, dial.Public(netip.MustParseAddr(outside)), outside)
	}
	require.False(t, dial.Public(netip.Addr{}))
}
