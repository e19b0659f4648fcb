package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strings"

	"golang.org/x/term"
)

// newLog writes JSON, or plain text to a terminal.
func newLog(w io.Writer, level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
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
