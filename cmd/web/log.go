package main

import (
	"context"
	"io"
	"log/slog"
	"os"

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

// atLeast passes on what is at least as grave as a level: libraries tell more
// than anybody wants to know.
type atLeast struct {
	slog.Handler
	level slog.Level
}

func (h atLeast) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= h.level && h.Handler.Enabled(ctx, level)
}

func (h atLeast) WithAttrs(attrs []slog.Attr) slog.Handler {
	return atLeast{h.Handler.WithAttrs(attrs), h.level}
}

func (h atLeast) WithGroup(name string) slog.Handler {
	return atLeast{h.Handler.WithGroup(name), h.level}
}
