package logo

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
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
