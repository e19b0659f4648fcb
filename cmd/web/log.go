package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strings"

	"golang.org/x/term"
)

// newLog writes JSON, or plain text where a person reads along.
func newLog(w io.Writer, level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

// library is what Go's own packages write their log to. net/http repeats there,
// in quotes, what an upstream said without having been asked: a second answer,
// for one, with the PIN that was in the first. What is quoted is left out.
type library struct{ slog.Handler }

// Handle takes one line.
func (l library) Handle(ctx context.Context, line slog.Record) error {
	text, _, _ := strings.Cut(line.Message, `"`)
	said := slog.NewRecord(line.Time, slog.LevelWarn, "library.said", line.PC)
	said.AddAttrs(slog.String("text", strings.TrimSpace(text)))
	return l.Handler.Handle(ctx, said)
}
