package store

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// lines are all connections to PostgreSQL, of *line.
type lines struct{ open sync.Map }

// line is a connection that knows whether it waits.
type line struct {
	net.Conn

	of    *lines
	reads atomic.Int64 // begun and ended: while it is odd, somebody waits for an answer
}

type dial = func(ctx context.Context, network, address string) (net.Conn, error)

// opened has connections counted that are opened from now on.
func (l *lines) opened(by dial) dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := by(ctx, network, address)
		if err != nil {
			return nil, err
		}
		opened := &line{Conn: conn, of: l}
		l.open.Store(opened, nil)
		return opened, nil
	}
}

// Read waits for an answer.
func (l *line) Read(answer []byte) (int, error) {
	l.reads.Add(1)
	defer l.reads.Add(1)
	return l.Conn.Read(answer)
}

// Close ends the connection.
func (l *line) Close() error {
	l.of.open.Delete(l)
	return l.Conn.Close()
}

// endUnlessHeard ends the connection if it waits, and goes on waiting for as long as that.
func (l *line) endUnlessHeard(within time.Duration) {
	before := l.reads.Load()
	if before%2 == 0 {
		return
	}
	time.AfterFunc(within, func() {
		if l.reads.Load() == before {
			_ = l.Close() // whoever waits is told
		}
	})
}

// Doubt is for who was not answered in time: other connections may hang, too. Those that nobody uses are made anew, and
// one that waits for an answer ends unless it hears something within that time. Where a proxy stands before
// PostgreSQL, and has lost what is behind it, its machine goes on confirming what it is sent, and endSilence sees
// nothing wrong.
func (db *DB) Doubt(within time.Duration) {
	if db.pool == nil {
		return
	}
	db.lines.open.Range(func(open, _ any) bool {
		open.(*line).endUnlessHeard(within)
		return true
	})
	db.pool.Reset()
}
