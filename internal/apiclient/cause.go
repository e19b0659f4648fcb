package apiclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"syscall"

	"airtill/internal/dial"
)

// causeOf says why a connection could not be made, for whoever can do something about it; "" where the class of the
// failure says all that is known. It quotes nothing: a certificate may hold any text.
func causeOf(err error) string {
	switch {
	case isProxy(err):
		return proxyCause(err)
	case isTLS(err):
		return certificateCause(err)
	}
	return addressCause(err)
}

func certificateCause(err error) string {
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var authority x509.UnknownAuthorityError
	var plain tls.RecordHeaderError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the certificate there has ended or not begun; or the clock of this machine is wrong"
	case errors.As(err, &name):
		return "the certificate there is for another name than the address has"
	case errors.As(err, &authority):
		return "this machine does not know who issued the certificate there; if you trust them, name the file of " +
			"their certificate in SSL_CERT_FILE"
	case errors.As(err, &plain):
		return "what answers there does not speak TLS"
	}
	return ""
}

func addressCause(err error) string {
	var lookUp *net.DNSError
	var connecting *net.OpError
	switch {
	case errors.Is(err, dial.ErrForbidden):
		return dial.ErrForbidden.Error()
	case errors.Is(err, dial.ErrMoved):
		return dial.ErrMoved.Error()
	case errors.Is(err, dial.ErrNotFound), errors.As(err, &lookUp) && lookUp.IsNotFound:
		return dial.ErrNotFound.Error()
	case errors.As(err, &lookUp):
		return "no name server answered"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens at that address"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return "this machine has no connection to that address"
	case errors.As(err, &connecting) && connecting.Op == "dial" && connecting.Timeout():
		return "that address does not answer"
	}
	return ""
}

// isAddress says whether an address was not even tried.
func isAddress(err error) bool {
	return errors.Is(err, dial.ErrForbidden) || errors.Is(err, dial.ErrMoved) || errors.Is(err, dial.ErrNotFound)
}

// errProxyUnreadable is returned for every call: none may leave past a proxy that was to be used.
var errProxyUnreadable = errors.New("the proxy that HTTPS_PROXY names cannot be read")

func proxyFromEnvironment(r *http.Request) (*url.URL, error) {
	proxy, err := http.ProxyFromEnvironment(r)
	if err != nil {
		return nil, errProxyUnreadable // the cause would print its password
	}
	return proxy, nil
}

// proxyRefusedError is a proxy that does not lead on. Nothing was sent.
type proxyRefusedError struct{ status int }

// Error names the proxy's answer.
func (e proxyRefusedError) Error() string {
	return fmt.Sprintf("the proxy that HTTPS_PROXY names refused with HTTP %d", e.status)
}

func proxyAnswered(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode != http.StatusOK {
		return proxyRefusedError{answer.StatusCode}
	}
	return nil
}

func isProxy(err error) bool { return proxyCause(err) != "" }

func proxyCause(err error) string {
	var refused proxyRefusedError
	var connecting *net.OpError
	switch {
	case errors.Is(err, errProxyUnreadable):
		return errProxyUnreadable.Error()
	case errors.As(err, &refused):
		return refused.Error()
	case errors.As(err, &connecting) && connecting.Op == "proxyconnect":
		return "the proxy that HTTPS_PROXY names cannot be reached"
	}
	return ""
}
