package dial

import (
	"errors"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mostAddress is how long an address may be.
const mostAddress = 1024

// hostName is a name as an operator writes it, with or without dots. Its last part begins with a letter, as that of
// no numeric address does, in whatever notation.
var hostName = regexp.MustCompile(
	`^([A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?\.)*[A-Za-z]([A-Za-z0-9_-]*[A-Za-z0-9_])?$`,
)

// Address reads an address that an operator wrote: of one of these schemes, a host that is spelled as it is, a port
// that is one, no fragment. The error never repeats it, since it may hold a password.
func Address(text string, schemes ...string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || len(text) > mostAddress || u.Opaque != "" || u.Fragment != "" || strings.TrimSpace(text) != text {
		return nil, errors.New("it is no whole address")
	}
	if !slices.Contains(schemes, u.Scheme) {
		return nil, errors.New("it does not begin with " + strings.Join(schemes, ":// or ") + "://")
	}
	host := u.Hostname()
	ip, err := netip.ParseAddr(host)
	switch {
	case err != nil && !hostName.MatchString(host):
		return nil, errors.New("its host is neither a name nor an address that is written plainly")
	case err == nil && !Public(ip) && !inside(host, ip):
		return nil, errors.New("its host is an address that the till may not call")
	}
	if text := u.Port(); text != "" || strings.HasSuffix(u.Host, ":") {
		if port, err := strconv.ParseUint(text, 10, 16); err != nil || port == 0 || text[0] == '0' {
			return nil, errors.New("its port is none")
		}
	}
	return u, nil
}

// Secretless is Address for what is written to logs and pages: without a user and a password in it.
func Secretless(text string, schemes ...string) (*url.URL, error) {
	u, err := Address(text, schemes...)
	if err == nil && u.User != nil {
		return nil, errors.New("it holds a user or a password")
	}
	return u, err
}
