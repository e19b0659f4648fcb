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
// each simple query is one for which the till waits.
type wire struct {
	listener net.Listener
	trips    atomic.Int64
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
		_, _ = io.Copy(client, database) // whichever side ends, the other sees it
		_ = client.Close()
	}()
	_ = w.forward(bufio.NewReader(client), database) // likewise
}

// forward passes a client's messages on, as many at once as have come.
func (w *wire) forward(from *bufio.Reader, to io.Writer) error {
	out := bufio.NewWriter(to)
	for kind := byte(0); ; { // the first message has no kind
		length, err := from.Peek(4)
		if err != nil {
			return err
		}
		if _, err := io.CopyN(out, from, int64(binary.BigEndian.Uint32(length))); err != nil {
			return err
		}
		if kind == 'S' || kind == 'Q' {
			w.trips.Add(1)
		}
		if from.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		if kind, err = from.ReadByte(); err != nil {
			return err
		}
		if err := out.WriteByte(kind); err != nil {
			return err
		}
	}
}
