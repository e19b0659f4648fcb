package apiclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// newTransport speaks HTTP/1.1 only: on HTTP/2 Go may send a request again. Idle connections are closed soon,
// so that few are found dead when needed.
func newTransport() *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:               proxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConns:        256,
		MaxIdleConnsPerHost: 128,
		IdleConnTimeout:     30 * time.Second,
		Protocols:           protocols,

		MaxResponseHeaderBytes: 64 << 10,
		ReadBufferSize:         1 << 10, // of thousands of connections that wait for a provider
		WriteBufferSize:        1 << 10,

		OnProxyConnectResponse: proxyAnswered,
	}
}

// The classes of failure on the way, as in error texts and metrics.
const (
	classCancelled = "cancelled"
	classTimeout   = "timeout"
	classPermit    = "permit"
	classToken     = "token"
	classTLS       = "tls"
	classDial      = "dial"
	classProxy     = "proxy"
	classBroken    = "broken"
	classForeign   = "unreadable"
)

// transportError carries a failure on the way. Its text is in our own words: net/http quotes bytes it could not
// read, which may hold anything.
type transportError struct {
	class string
	err   error
}

// Error names the class of the failure, and its cause where one can do something about it.
func (e *transportError) Error() string {
	text := e.class + " failure on the way"
	if cause := causeOf(e.err); cause != "" {
		text += ": " + cause
	}
	return text
}

// Unwrap returns the cause.
func (e *transportError) Unwrap() error { return e.err }

// onTheWay wraps an error of a RoundTripper; this package's own errors keep their text.
func onTheWay(err error) error {
	class := classOf(err)
	switch class {
	case classPermit, classToken:
		return err
	}
	return &transportError{class: class, err: err}
}

func classOf(err error) string {
	var netErr *net.OpError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, ErrPermitExpired):
		return classPermit
	case errors.Is(err, ErrToken):
		return classToken
	case errors.Is(err, context.Canceled):
		return classCancelled
	case isProxy(err):
		return classProxy
	case isTLS(err):
		return classTLS
	case errors.As(err, &netErr) && netErr.Op == "dial", isAddress(err):
		return classDial
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return classTimeout
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE):
		return classBroken
	}
	return classForeign
}

func isTLS(err error) bool {
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var certificate *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	return errors.As(err, &record) || errors.As(err, &alert) || errors.As(err, &certificate) ||
		errors.As(err, &authority) || strings.Contains(err.Error(), "TLS handshake")
}

// classOfAnswer names why an answer was unreadable.
func classOfAnswer(err error) string {
	if way, ok := errors.AsType[*transportError](err); ok {
		return way.class
	}
	return classForeign
}
