package dial

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Resolve finds the addresses of a host.
type Resolve func(ctx context.Context, host string) ([]netip.Addr, error)

// Why an address is not dialled. None repeats it: it may come from outside.
var (
	ErrForbidden = errors.New("the host has an address that the till may not call")
	ErrMoved     = errors.New("the host was on the public internet and now leads inwards; restart the till if it moved")
	ErrNotFound  = errors.New("the host was not found")
)

// Dialer connects to hosts whose addresses it has checked, at just those: to resolve again could give another
// answer. The zero Dialer reaches the public internet alone. It is safe for concurrent use.
type Dialer struct {
	// Named says whether the operator named this host and port. Such a host may be in a private network, or this
	// machine by its plain name, but never what a machine answers about itself. nil: none is.
	Named func(hostPort string) bool
	// Resolve is nil for the system's.
	Resolve Resolve

	public sync.Map // hosts the operator named that were seen on the public internet
}

// Anything says that the operator named every host: for a client that has one address and follows nothing.
func Anything(string) bool { return true }

// DialContext is for http.Transport and its like.
func (d *Dialer) DialContext(ctx context.Context, network, hostPort string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, ErrNotFound
	}
	found, err := d.addresses(ctx, host, d.Named != nil && d.Named(hostPort))
	if err != nil {
		return nil, err
	}
	err = ErrNotFound
	for i, ip := range found {
		var dialer net.Dialer
		if i < len(found)-1 {
			dialer.Timeout = nextAfter
		}
		var conn net.Conn
		if conn, err = dialer.DialContext(ctx, network, net.JoinHostPort(ip.String(), port)); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// nextAfter is how long an address is waited for while there is another. One that never answers would take all the
// time of the request; the context does not tell how long that is, as http.Transport dials without its deadline.
const nextAfter = time.Second

// addresses resolves a host and refuses it if any of its addresses is not allowed: a name that also points inwards
// is no mistake.
func (d *Dialer) addresses(ctx context.Context, host string, named bool) ([]netip.Addr, error) {
	found, err := d.resolve(ctx, host)
	if err != nil {
		return nil, ErrNotFound
	}
	public := 0
	for i, ip := range found {
		found[i] = ip.Unmap() // the system may write IPv4 as IPv6
		switch {
		case Public(found[i]):
			public++
		case !named || !inside(host, found[i]):
			return nil, ErrForbidden
		}
	}
	_, before := d.public.Load(host)
	switch {
	case len(found) == 0:
		return nil, ErrNotFound
	case public == len(found):
		if named && !before {
			d.public.Store(host, true)
		}
		return found, nil
	case public > 0:
		return nil, ErrForbidden
	case before:
		return nil, ErrMoved
	}
	return found, nil
}

func (d *Dialer) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}, nil
	}
	if d.Resolve != nil {
		return d.Resolve(ctx, host)
	}
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}
