package frame

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"airtill/web/static"
)

// recorder remembers the answer. After close it swallows the rest.
type recorder struct {
	http.ResponseWriter
	status int // 0 until the answer has begun
	bytes  int64
	closed bool
}

// WriteHeader begins the answer; only the first call counts.
func (w *recorder) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	if status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (w *recorder) Write(body []byte) (int, error) {
	if w.closed {
		return len(body), nil
	}
	w.WriteHeader(http.StatusOK)
	n, err := w.ResponseWriter.Write(body)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController through.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// flushing gives gin, which looks for http.Flusher and not Unwrap, a writer that flushes every layer.
type flushing struct{ http.ResponseWriter }

// Flush sends what has been written.
func (w flushing) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Unwrap lets http.ResponseController through.
func (w flushing) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// observe gives each request an id, recovers its panic, and logs and counts it.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		started := s.D.Now()
		x := &exchange{id: rand.Text(), nonce: rand.Text(), route: "none", writer: &recorder{ResponseWriter: w}}
		r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
		x.request = r
		w.Header().Set("X-Correlation-Id", x.id)
		defer s.note(r, x, started)
		defer s.recoverPanic(r, x)
		next.ServeHTTP(x.writer, r)
	})
}

// recoverPanic answers a panic without naming its cause. An answer that has begun is cut off, so that nobody
// takes it for whole.
func (s *Server) recoverPanic(r *http.Request, x *exchange) {
	cause := recover()
	switch cause {
	case nil:
		return
	case http.ErrAbortHandler:
		panic(cause)
	}
	s.Metrics.panics.Inc()
	s.D.Log.ErrorContext(
		r.Context(), "http.panic", "id", x.id, "route", x.route, "panic", describe(cause), "stack",
		string(debug.Stack()),
	)
	if x.writer.status != 0 {
		panic(http.ErrAbortHandler)
	}
	s.showError(x.writer, r, http.StatusInternalServerError, "", "")
}

// describe omits a panic's text from the log, since it may quote a number, unless it is Go's own.
func describe(cause any) string {
	if err, ok := cause.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", cause)
}

// note logs and counts an answer by the pattern of its route, since its path may hold an account number.
func (s *Server) note(r *http.Request, x *exchange, started time.Time) {
	took := s.D.Now().Sub(started)
	level := slog.LevelInfo
	switch x.route {
	case "/healthz", "/readyz", "/metrics", static.Prefix + "*file":
		level = slog.LevelDebug
	case HookPath:
		if x.writer.status >= http.StatusBadRequest {
			level = slog.LevelDebug // refuseHook logs it, a line a second
		}
	}
	s.Metrics.requests.WithLabelValues(methodLabel(r.Method), x.route, strconv.Itoa(x.writer.status)).Inc()
	s.Metrics.duration.WithLabelValues(x.route).Observe(took.Seconds())
	s.D.Log.Log(r.Context(), level, "http.request", "id", x.id, "method", methodLabel(r.Method), "route", x.route,
		"status", x.writer.status, "bytes", x.writer.bytes, "duration", took, "user", x.Presence.User.ID)
}

// methodLabel prevents clients from inventing label values.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "other"
}
