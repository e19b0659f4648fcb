package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"net"

	gomail "github.com/wneessen/go-mail"

	"airtill/internal/dial"
)

// mostAnswer is what a server may say in one connection; a line of its own has no end.
const mostAnswer = 1 << 20

// connect returns what reaches the server at an address that was checked, with TLS where that comes first.
func (s server) connect(resolve dial.Resolve, encrypted *tls.Config) gomail.DialContextFunc {
	dialer := dial.Dialer{Resolve: resolve, Named: dial.Anything}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		conn = &bounded{conn, mostAnswer}
		if s.encryption != wholeTLS {
			return conn, nil
		}
		secret := tls.Client(conn, encrypted)
		if err := secret.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return secret, nil
	}
}

// bounded ends a connection whose other side says too much.
type bounded struct {
	net.Conn
	left int
}

// Read reads what is left.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("the mail server says too much")
	}
	n, err := b.Conn.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
