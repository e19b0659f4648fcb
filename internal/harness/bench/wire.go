package bench

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"path/filepath"
	"sync/atomic"
)

// wire stands between the till and PostgreSQL and counts the round trips: each Sync and
// each simple query is one for which the till waits. A transaction has ended where the
// server is ready again and in none.
type wire struct {
	listener            net.Listener
	trips, transactions atomic.Int64
}

// newWire listens where a PostgreSQL in this directory would.
func newWire(dir, server string) (*wire, error) {
	listener, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432")) //nolint:noctx // it lives as long as the run
	if err != nil {
		return nil, err
	}
	w := &wire{listener: listener}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // it is closed
			}
			go w.serve(client, server)
		}
	}()
	return w, nil
}

func (w *wire) close() { _ = w.listener.Close() } // its sessions end with the till

func (w *wire) serve(client net.Conn, server string) {
	defer func() { _ = client.Close() }()
	database, err := net.Dial("unix", server) //nolint:noctx // it lives as long as the client
	if err != nil {
		return // the client sees it
	}
	defer func() { _ = database.Close() }()
	go func() {
		_ = forward(bufio.NewReader(database), client, func(kind, first byte) {
			if kind == 'Z' && first == 'I' {
				w.transactions.Add(1)
			}
		}) // whichever side ends, the other sees it
		_ = client.Close()
	}()
	from := bufio.NewReader(client)
	if _, err := pass(from, database); err != nil { // the first message has no kind
		return
	}
	_ = forward(from, database, func(kind, _ byte) {
		if kind == 'S' || kind == 'Q' {
			w.trips.Add(1)
		}
	}) // likewise
}

// forward passes messages on, as many at once as have come. It tells the kind of each, and the first byte of what
// it says.
func forward(from *bufio.Reader, to io.Writer, tell func(kind, first byte)) error {
	out := bufio.NewWriter(to)
	for {
		kind, err := from.ReadByte()
		if err != nil {
			return err
		}
		if err := out.WriteByte(kind); err != nil {
			return err
		}
		first, err := pass(from, out)
		if err != nil {
			return err
		}
		tell(kind, first)
		if from.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

// pass passes on the length of a message and what it says. It returns the first byte of that, 0 if it says nothing.
func pass(from *bufio.Reader, to io.Writer) (first byte, err error) {
	head, err := from.Peek(4)
	if err != nil {
		return 0, err
	}
	length := int64(binary.BigEndian.Uint32(head))
	if length > 4 {
		if head, err = from.Peek(5); err != nil {
			return 0, err
		}
		first = head[4]
	}
	_, err = io.CopyN(to, from, length)
	return first, err
}
