package storetest

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
)

// Forgetful stands between the till and PostgreSQL. What it has forgotten it neither passes on nor ends.
type Forgetful struct {
	URL string // of the database through it

	network, server string
	forgotten       atomic.Pointer[chan struct{}] // closed for the connections that have been forgotten
	over            chan struct{}                 // closed at the end
	last            atomic.Pointer[string]        // the text that a connection ends at
	clients         sync.WaitGroup
}

// ForgetfulBefore starts one before a database.
func ForgetfulBefore(t testing.TB, database string) *Forgetful {
	t.Helper()
	direct, err := pgconn.ParseConfig(database)
	require.NoError(t, err)
	f := &Forgetful{over: make(chan struct{})}
	f.network, f.server = pgconn.NetworkAddress(direct.Host, direct.Port)
	f.forgotten.Store(new(make(chan struct{})))
	var listen net.ListenConfig
	listener, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f.clients.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			f.clients.Go(func() { f.serve(t.Context(), client) })
		}
	})
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		f.clients.Wait()
	})
	through := url.URL{
		Scheme: "postgres", User: url.User(direct.User), Host: listener.Addr().String(), Path: direct.Database,
		RawQuery: "sslmode=disable",
	}
	f.URL = through.String()
	return f
}

// Forget forgets all connections there are; new ones are served.
func (f *Forgetful) Forget() {
	close(*f.forgotten.Swap(new(make(chan struct{}))))
}

// EndAt has connections end as soon as they have passed on a text of the till's; nobody hears what comes of it.
func (f *Forgetful) EndAt(text string) { f.last.Store(&text) }

// HangUp ends what it has forgotten, so that nobody takes leave of it at length.
func (f *Forgetful) HangUp() { close(f.over) }

func (f *Forgetful) serve(ctx context.Context, client net.Conn) {
	forgotten := *f.forgotten.Load()
	var dialer net.Dialer
	server, err := dialer.DialContext(ctx, f.network, f.server)
	if err != nil {
		_ = client.Close()
		return
	}
	var ended atomic.Bool
	pass := func(to io.WriteCloser, from io.Reader) {
		defer to.Close()
		piece := make([]byte, 4<<10)
		for {
			n, err := from.Read(piece)
			if err != nil {
				return
			}
			select {
			case <-forgotten: // it takes what it is sent, and says nothing
				<-f.over
				return
			default:
			}
			if ended.Load() {
				return
			}
			if last := f.last.Load(); last != nil && bytes.Contains(piece[:n], []byte(*last)) {
				ended.Store(true)
				_ = client.Close()
			}
			if _, err := to.Write(piece[:n]); err != nil {
				return
			}
		}
	}
	f.clients.Go(func() { pass(client, server) })
	pass(server, client)
}
