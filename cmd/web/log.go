package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// newLog writes JSON, or plain text to a terminal.
func newLog(w io.Writer, level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	out := newPatient(w)
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		out.tell = slog.New(slog.NewTextHandler(&out.told, nil))
		return slog.New(slog.NewTextHandler(out, options))
	}
	out.tell = slog.New(slog.NewJSONHandler(&out.told, nil))
	return slog.New(slog.NewJSONHandler(out, options))
}

// lineWithin is how long whoever logs waits for a line to be written.
const lineWithin = time.Second

// patient writes a log to what may stop taking lines: a pipe that nobody reads, a terminal that was halted. Everything
// logs, so nothing was sold any more. Lines that come while one is stuck are lost, and counted in the log afterwards.
type patient struct {
	to   io.Writer
	tell *slog.Logger // into told, in the form of the log
	told bytes.Buffer

	mu      sync.Mutex
	written chan struct{} // closed once the last line is
	lost    int
}

func newPatient(to io.Writer) *patient {
	p := &patient{to: to, written: make(chan struct{})}
	close(p.written)
	return p
}

// Write takes one line.
func (p *patient) Write(line []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.written:
	default:
		p.lost++
		return len(line), nil
	}
	p.told.Reset()
	if p.lost > 0 {
		p.tell.Warn("log.lines_lost", "lines", p.lost)
		p.lost = 0
	}
	text := append(bytes.Clone(p.told.Bytes()), line...)
	written := make(chan struct{})
	p.written = written
	go func() {
		defer close(written)
		_, _ = p.to.Write(text) // a log that cannot be written tells nobody
	}()
	select {
	case <-written:
	case <-time.After(lineWithin):
	}
	return len(line), nil
}

// library handles the log of Go's own packages. net/http quotes there what an upstream said unasked: a second
// answer, for one, with the PIN of the first. Quotes are left out.
type library struct{ slog.Handler }

// Handle takes one line.
func (l library) Handle(ctx context.Context, line slog.Record) error {
	text, _, _ := strings.Cut(line.Message, `"`)
	said := slog.NewRecord(line.Time, slog.LevelWarn, "library.said", line.PC)
	said.AddAttrs(slog.String("text", strings.TrimSpace(text)))
	return l.Handler.Handle(ctx, said)
}
