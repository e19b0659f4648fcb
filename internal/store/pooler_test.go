package store_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// pooler stands between the till and PostgreSQL. It refuses who asks it for settings that it does not know, as
// PgBouncer does.
type pooler struct {
	database string // its address
	shared   *pooled
}

// pooled is a connection of the server's, used by one client at a time.
type pooled struct {
	use  sync.Mutex
	conn *pgconn.HijackedConn
}

// pool starts a pooler of sessions, or of transactions, and returns the address of the database through it.
func pool(t *testing.T, database string, ofTransactions bool) string {
	t.Helper()
	p := &pooler{database: database}
	if ofTransactions {
		var err error
		p.shared, err = p.connect(t.Context())
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, p.shared.conn.Conn.Close()) })
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var clients sync.WaitGroup
	clients.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			clients.Go(func() { p.serve(t.Context(), client) })
		}
	})
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		clients.Wait()
	})
	direct, err := pgconn.ParseConfig(database)
	require.NoError(t, err)
	through := url.URL{
		Scheme: "postgres", User: url.User(direct.User), Host: listener.Addr().String(), Path: direct.Database,
		RawQuery: "sslmode=disable",
	}
	return through.String()
}

func (p *pooler) connect(ctx context.Context) (*pooled, error) {
	conn, err := pgconn.Connect(ctx, p.database)
	if err != nil {
		return nil, err
	}
	hijacked, err := conn.Hijack()
	return &pooled{conn: hijacked}, err
}

// serve goes on until the client or the server ends.
func (p *pooler) serve(ctx context.Context, client net.Conn) {
	defer client.Close()
	backend := pgproto3.NewBackend(client, client)
	first, err := backend.ReceiveStartupMessage()
	start, ok := first.(*pgproto3.StartupMessage)
	if err != nil || !ok {
		return
	}
	known := []string{
		"user", "database", "client_encoding", "datestyle", "timezone", "standard_conforming_strings", "application_name",
	}
	for name := range start.Parameters {
		if !slices.Contains(known, strings.ToLower(name)) {
			backend.Send(&pgproto3.ErrorResponse{
				Severity: "FATAL", Code: "08P01", Message: "unsupported startup parameter: " + name,
			})
			_ = backend.Flush() // the client is told, or gone
			return
		}
	}
	server := p.shared
	if server == nil {
		if server, err = p.connect(ctx); err != nil {
			return
		}
		defer server.conn.Conn.Close()
	}
	backend.Send(&pgproto3.AuthenticationOk{})
	for name, value := range server.conn.ParameterStatuses {
		backend.Send(&pgproto3.ParameterStatus{Name: name, Value: value})
	}
	backend.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: []byte{0, 0, 0, 1}})
	backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	for err = backend.Flush(); err == nil; {
		err = server.transaction(backend)
	}
}

var errLeft = errors.New("the client has left")

// transaction passes on what a client asks and what it is answered, until it is in no transaction.
func (s *pooled) transaction(client *pgproto3.Backend) error {
	asked, err := client.Receive()
	if err != nil {
		return err
	}
	s.use.Lock()
	defer s.use.Unlock()
	for {
		switch asked.(type) {
		case *pgproto3.Terminate:
			return errLeft
		case *pgproto3.Sync, *pgproto3.Query:
			s.conn.Frontend.Send(asked)
			if status, err := s.answer(client); err != nil || status == 'I' {
				return err
			}
		default:
			s.conn.Frontend.Send(asked)
		}
		if asked, err = client.Receive(); err != nil {
			return err
		}
	}
}

// answer passes on all that the server says, and returns whether it is in a transaction then.
func (s *pooled) answer(client *pgproto3.Backend) (status byte, err error) {
	if err := s.conn.Frontend.Flush(); err != nil {
		return 0, err
	}
	for {
		said, err := s.conn.Frontend.Receive()
		if err != nil {
			return 0, err
		}
		client.Send(said)
		if ready, is := said.(*pgproto3.ReadyForQuery); is {
			return ready.TxStatus, client.Flush()
		}
	}
}

// TestAPoolerOfSessionsServes: it passes on what is asked of a connection, and nothing of how one begins.
func TestAPoolerOfSessionsServes(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, pool(t, postgresURL(t), false))
	var role, isolation string
	require.NoError(t, db.Tx(t.Context(), func(tx *store.Tx) error {
		return errors.Join(
			tx.Raw("SELECT current_user").Scan(&role).Error,
			tx.Raw("SELECT current_setting('transaction_isolation')").Scan(&isolation).Error)
	}))
	require.Equal(t, "airtill_app", role)
	require.Equal(t, "read committed", isolation)
}

// TestAPoolerOfTransactionsIsRefused when the till starts, and not by a sale that somebody else's role was lent to.
func TestAPoolerOfTransactionsIsRefused(t *testing.T) {
	t.Parallel()
	_, err := store.Open(t.Context(), pool(t, postgresURL(t), true))
	require.ErrorContains(t, err, "let it pool sessions")
}
