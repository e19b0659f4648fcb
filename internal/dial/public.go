// Package dial says which addresses the till may connect to.
package dial

import (
	"net/netip"
	"slices"
)

// inner are networks that are not on the public internet, beyond those netip knows (IANA special-purpose
// address registries; RFC 6890). Those that embed an IPv4 address lead wherever it does.
var inner = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // shared by carriers' translators
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2001::/23"), // Teredo and other experiments
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), // 6to4
	netip.MustParsePrefix("3fff::/20"),
}

// global is the part of IPv6 that is given out to the world.
var global = netip.MustParsePrefix("2000::/3")

// Public says whether an address is on the public internet.
func Public(ip netip.Addr) bool {
	if !ip.IsValid() || slices.Contains(itself, ip) || ip.Is4In6() || ip.Zone() != "" {
		return false
	}
	if ip.Is6() && !global.Contains(ip) || !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	return !slices.ContainsFunc(inner, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// itself are addresses at which clouds tell a machine its secrets, among those that a private network might have
// or that look public.
var itself = []netip.Addr{
	netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("192.0.0.192"), netip.MustParseAddr("168.63.129.16"),
	netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("fd20:ce::254"),
}

// inside says whether an address that is not public may belong to a host that the operator named. Loopback needs a
// name that says so.
func inside(host string, ip netip.Addr) bool {
	switch {
	case slices.Contains(itself, ip) || ip.Zone() != "" || ip.Is4In6():
		return false
	case ip.IsLoopback():
		return ThisMachine(host)
	case ip.Is4():
		return ip.IsGlobalUnicast() && ip.As4()[0] != 0 && ip.As4()[0] < 240
	}
	return ip.IsPrivate()
}

// ThisMachine says whether a host is this machine by its plain name.
func ThisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback() && !ip.Is4In6()
}
