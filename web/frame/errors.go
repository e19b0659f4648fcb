package frame

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"airtill/internal/fault"
	"airtill/internal/store"
	"airtill/web/templates"
)

// errSignIn sends a visitor to the login page, and from there to next.
type errSignIn struct {
	stream bool
	next   string // "" for where they were going
}

// Error is for the log.
func (errSignIn) Error() string { return "not signed in" }

// errNotAllowed is a method the path does not have.
var errNotAllowed = fault.New(fault.NotFound, "")

// NotFound is the handler of paths that lead nowhere.
func NotFound(*gin.Context) error { return fault.New(fault.NotFound, "") }

func notAllowed(*gin.Context) error { return errNotAllowed }

// TooMany is a client that comes too often.
type TooMany struct{ Wait time.Duration }

// Error is for the log.
func (TooMany) Error() string { return "too many requests" }

// RetryAfter is how long the client should wait.
func (e TooMany) RetryAfter() time.Duration { return e.Wait }

// retry is an error that says when to try again.
type retry interface {
	error
	RetryAfter() time.Duration
}

// StatusOf is the only place that turns an error into a status.
func StatusOf(err error) int {
	var large *http.MaxBytesError
	var wait retry
	switch {
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &wait):
		return http.StatusTooManyRequests
	case errors.Is(err, errNotAllowed):
		return http.StatusMethodNotAllowed
	}
	switch fault.KindOf(err) {
	case fault.Invalid:
		return http.StatusUnprocessableEntity
	case fault.NotFound:
		return http.StatusNotFound
	case fault.Conflict:
		return http.StatusConflict
	case fault.Forbidden:
		return http.StatusForbidden
	case fault.Unavailable, fault.Unsure:
		return http.StatusServiceUnavailable
	case fault.Internal:
	}
	return http.StatusInternalServerError
}

// fail answers a failed request and logs the reason, once.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	x := ExchangeOf(r.Context())
	var signIn errSignIn
	switch {
	case r.Context().Err() != nil, x.writer.status != 0:
		s.LogFailure(r, slog.LevelInfo, "http.broken-off", 0, err) // nobody is there to be told, or too much is said
		if !x.stream {
			panic(http.ErrAbortHandler) // what has left, as of a file, must not pass for the whole
		}
		return
	case errors.As(err, &signIn):
		s.askToSignIn(w, r, signIn)
		return
	}
	err = store.Explain(err, r.Method == http.MethodGet || r.Method == http.MethodHead)
	status := StatusOf(err)
	s.LogFailure(r, LevelOf(status), "http.failed", status, err)
	w.Header().Del("Content-Disposition") // of a file that failed before any of it left
	if wait, ok := errors.AsType[retry](err); ok {
		w.Header().Set("Retry-After", strconv.Itoa(WholeSeconds(wait.RetryAfter())))
	}
	s.showError(w, r, status, s.LocaleOf(r).ConflictTitle(err), s.LocaleOf(r).Fault(err))
}

// WholeSeconds rounds up, so that a client that waits that long is not too early.
func WholeSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// LevelOf is the log level of an answer.
func LevelOf(status int) slog.Level {
	switch {
	case status == http.StatusServiceUnavailable:
		return slog.LevelWarn
	case status >= http.StatusInternalServerError:
		return slog.LevelError
	}
	return slog.LevelInfo
}

// LogFailure logs why a request failed.
func (s *Server) LogFailure(r *http.Request, level slog.Level, event string, status int, err error) {
	x := ExchangeOf(r.Context())
	s.D.Log.Log(r.Context(), level, event, "id", x.id, "route", x.route, "status", status, "error", err)
}

// showError answers with the page of a status, under a title of its own if given. Clients that do not read
// pages get only the words.
func (s *Server) showError(w http.ResponseWriter, r *http.Request, status int, title, message string) {
	x := ExchangeOf(r.Context())
	if readsPages(r) {
		page := templates.ErrorPage{Status: pageOf(status), Title: title, Message: message, CorrelationID: x.id}
		page.Locale = s.LocaleOf(r)
		if x.SignedIn {
			page.Frame = s.frameOf(r)
		}
		err := s.renderTo(w, r, status, templates.Error(page))
		if err == nil || x.writer.status != 0 {
			return
		}
		s.LogFailure(r, slog.LevelError, "http.failed", http.StatusInternalServerError, err)
	}
	if message == "" {
		message = http.StatusText(status)
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	//nolint:gosec // plain text that no browser takes for more; a client that is gone needs no answer
	_, _ = w.Write([]byte(message + " (" + x.id + ")\n"))
}

// pageOf returns the status whose error page is used for this one.
func pageOf(status int) int {
	switch status {
	case http.StatusMethodNotAllowed:
		return http.StatusNotFound
	case http.StatusRequestEntityTooLarge:
		return http.StatusUnprocessableEntity
	}
	return status
}

func readsPages(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}

// askToSignIn leads people to the login page and, if they only wanted to see something, back. A script or a
// stream gets a plain 401: it would take a login page for the answer.
func (s *Server) askToSignIn(w http.ResponseWriter, r *http.Request, e errSignIn) {
	if e.stream || !readsPages(r) || partial(r) {
		s.showError(w, r, http.StatusUnauthorized, "", "")
		return
	}
	next := e.next
	if r.Method == http.MethodGet {
		next = r.URL.RequestURI()
	}
	//nolint:gosec // Gate's own path; next is within its query
	http.Redirect(w, r, s.Gate(r, next), http.StatusSeeOther)
}

// errFirst is something a user must do before anything else, and where.
type errFirst struct {
	error

	path string
}

// Unwrap returns the fault to show.
func (e errFirst) Unwrap() error { return e.error }

// errOwnPassword: somebody else chose the password, so it must be changed first. errOwnSecond: the role needs
// a second factor.
var (
	errOwnPassword = errFirst{fault.New(fault.Forbidden, "password.own-first"), PasswordPath}
	errOwnSecond   = errFirst{fault.New(fault.Forbidden, "second.own-first"), SecondPath}
)
