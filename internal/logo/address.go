package logo

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"

	"airtill/internal/dial"
)

// errAddress refuses an address, without repeating it: it comes from outside.
var errAddress = errors.New("the address is not one that logos may come from")

// hostName is a host name as lists and certificates write it. The last part needs a letter at its start, which
// no numeric address has, in whatever notation.
var hostName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?$`)

// check refuses an address unless it is https, at the usual port of a listed host, without a user.
func (l *Logos) check(address string) error {
	u, err := url.Parse(address)
	if err != nil || len(address) > 1024 || u.User != nil || u.Opaque != "" {
		return errAddress
	}
	if l.simulated(u) {
		return nil
	}
	plain := u.Scheme == "https" && (u.Port() == "" || u.Port() == "443") && u.Fragment == ""
	if !plain || !hostName.MatchString(u.Hostname()) || !slices.Contains(l.d.Hosts, u.Hostname()) {
		return errAddress
	}
	return nil
}

func (l *Logos) allowed(address string) bool { return l.check(address) == nil }

// simulated says whether an address is the demo's simulator.
func (l *Logos) simulated(u *url.URL) bool {
	if l.d.Simulator == "" || u.Scheme != "http" || u.Host != l.d.Simulator {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback()
}

// sized asks for a picture of the needed size. These two parameters are all that is ever added (interface
// document, Provider).
func sized(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", errAddress
	}
	query := u.Query()
	query.Set("height", strconv.Itoa(Side))
	query.Set("width", strconv.Itoa(Side))
	u.RawQuery = query.Encode()
	return u.String(), nil
}

var errPrivate = errors.New("the host has an address that is not of the public internet")

// public resolves a host and refuses it if any of its addresses is not on the public internet: a name that
// points inwards is no mistake.
func (l *Logos) public(ctx context.Context, host string) ([]netip.Addr, error) {
	found, err := l.d.Resolve(ctx, host)
	if err != nil {
		return nil, errors.New("the host was not found")
	}
	for i, ip := range found {
		found[i] = ip.Unmap() // the system may write IPv4 as IPv6
		if !dial.Public(found[i]) {
			return nil, errPrivate
		}
	}
	if len(found) == 0 {
		return nil, errors.New("the host has no address")
	}
	return found, nil
}
