package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

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
		deadline, _ := ctx.Deadline() // there is one: that of New's options
		conn = &bounded{conn, mostAnswer, deadline}
		if !s.wholeTLS {
			return conn, nil
		}
		secret := tls.Client(conn, encrypted)
		if err := secret.HandshakeContext(ctx); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return secret, nil
	}
}

// bounded ends a connection whose other side says too much, or takes longer than whoever waits for it does.
type bounded struct {
	net.Conn
	left  int
	until time.Time
}

// SetDeadline moves the deadline: SMTP's commands each ask for a time of their own.
func (b *bounded) SetDeadline(t time.Time) error {
	if t.After(b.until) {
		t = b.until
	}
	return b.Conn.SetDeadline(t)
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
